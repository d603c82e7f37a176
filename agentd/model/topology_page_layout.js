// The size, colour and place of what is drawn.

// Delays from teal (shortest) over amber to red (longest), by their logarithm.
const delays = [...switches.slice(1).map((one) => one.link[0]), ...hosts.map((host) => host.link[0] ?? 0)].filter((us) => us > 0);
const shortest = delays.reduce((a, b) => Math.min(a, b), Infinity), longest = delays.reduce((a, b) => Math.max(a, b), 0);
function colour(us) {
  const stops = [[31, 150, 136], [222, 160, 20], [205, 60, 75]];
  const at = longest > shortest && us > shortest ? 2 * Math.log(us / shortest) / Math.log(longest / shortest) : 0;
  const from = stops[Math.min(1, Math.floor(at))], to = stops[Math.min(1, Math.floor(at)) + 1], part = at - Math.min(1, Math.floor(at));
  return `rgb(${from.map((value, i) => Math.round(value + part * (to[i] - value)))})`;
}

// Links are as wide as they are fast, by the logarithm of their bandwidth; where none is known, as many hosts are below.
const rates = [...switches.slice(1).map((one) => rateOf(one.link)), ...hosts.map((host) => rateOf(host.link))].filter((rate) => rate > 0);
const slowest = rates.reduce((a, b) => Math.min(a, b), Infinity), fastest = rates.reduce((a, b) => Math.max(a, b), 0);
function width(link, hostCount) {
  if (rates.length === 0) return 1.5 + Math.log2(1 + hostCount) * 0.35;
  if (rateOf(link) === 0) return 1;
  return fastest > slowest ? 2 + 8 * Math.log(rateOf(link) / slowest) / Math.log(fastest / slowest) : 4;
}
const radius = (one) => 5.5 + Math.log2(1 + one.hostsBelow) * 0.55;

// Opens the largest switches first, as far as all is readable at once.
function openSome(rows, columns) {
  const closed = [switches[0]];
  for (let used = 1; closed.length > 0;) {
    const one = closed.shift();
    const more = one.children.length + (one.hosts.length > 0 ? 1 : 0) - 1;
    if (one !== switches[0] && (used + more > rows || one.depth >= columns)) continue;
    used += more;
    one.open = true;
    for (const child of one.children) closed.push(child);
    closed.sort((a, b) => b.hostsBelow - a.hostsBelow);
  }
}

// Hosts of one switch as chips in a grid.
function gridOf(one) {
  const longestName = one.hosts.reduce((most, host) => Math.max(most, Math.min(host.name.length, 40)), 1);
  const chip = longestName * 7.3 + 14;
  const columns = Math.max(1, Math.min(one.hosts.length, Math.ceil(Math.sqrt(one.hosts.length * 3 * chipHeight / chip)), Math.floor(1600 / chip) || 1));
  return {chip, columns, rows: Math.ceil(one.hosts.length / columns)};
}

const heightOf = (one) => row + (one.grid ? one.grid.rows * (chipHeight + 3) : 0);

// Gives every visible switch a place (x, y), rows from the top; returns them in order, parents first.
function layOut() {
  let next = 0;
  const take = (height) => (next += height) - height / 2;
  const visible = switches.filter((one) => {
    const parent = switches[one.parent];
    one.visible = !parent || (parent.visible && parent.open);
    if (!one.visible) return false;
    one.x = one.depth * column;
    one.top = one.bottom = one.groupY = undefined;
    one.grid = one.open && one.groupOpen && one.hosts.length > 0 ? gridOf(one) : null;
    if (!one.open || one.children.length === 0) one.top = one.bottom = take(heightOf(one));
    else if (one.hosts.length > 0) one.groupY = take(heightOf(one));
    return true;
  });
  for (const one of [...visible].reverse()) {
    one.y = ((one.groupY ?? one.top) + one.bottom) / 2;
    one.groupY ??= one.y;
    const parent = switches[one.parent];
    if (!parent) continue;
    parent.bottom ??= one.y;
    parent.top = one.y;
  }
  return visible;
}

