"use strict";
// The data: switches, each after its parent, the root first:
//   {"name", "parent": index, "link": LINK, "mesh": true, "range": its hosts, folded, "hosts": [[name, ...LINK], ...]}
// LINK is [delay in us, confidence, standard error in us, bandwidth in bytes/s]; members and the last parts may be missing.
const switches = JSON.parse(document.getElementById("data").textContent).switches;
const column = 170, row = 40, chipHeight = 20, indent = 56, doubt = 0.95;
const byId = (id) => document.getElementById(id);
const drawing = byId("drawing"), world = byId("world"), tip = byId("tip");
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : /ch$/.test(noun) ? "es" : "s"}`;

function withUnit(value, units) {
  const [size, unit] = units.find(([size]) => value < 999.5 * size) ?? units.at(-1);
  const number = value / size;
  return `${number === 0 || number >= 99.95 ? number.toFixed(0) : number.toPrecision(3)} ${unit}`;
}
const delayText = (us) => withUnit(us, [[1, "µs"], [1e3, "ms"], [1e6, "s"]]);
const bandwidthText = (rate) => withUnit(rate, [[1, "B/s"], [1e3, "kB/s"], [1e6, "MB/s"], [1e9, "GB/s"]]);
const sure = (link) => Math.floor((link[1] ?? 1) * 100 + 1e-9) + "% sure";
const isDoubtful = (link) => (link[1] ?? 1) < doubt;

function linkLines(link, claim) {
  const lines = ["One way: " + delayText(link[0]) + (link[2] ? " ± " + delayText(link[2]) : "")];
  if (link[3]) lines.push("Bandwidth: " + bandwidthText(link[3]));
  if ((link[1] ?? 1) < 1) lines.push(sure(link) + " " + claim);
  return lines;
}

// What is below each switch, and how far each is from the root.
const hosts = [];  // {name, link, at: index of its switch}
switches.forEach((one, index) => {
  Object.assign(one, {index, children: [], open: false, groupOpen: false, switchesBelow: 0, hits: 0});
  one.hosts = (one.hosts ?? []).map(([name, ...link]) => ({name, link, at: index}));
  one.hostsBelow = one.hosts.length;
  for (const host of one.hosts) hosts.push(host);
  const parent = switches[one.parent];
  one.depth = parent ? parent.depth + 1 : 0;
  one.toRoot = parent ? parent.toRoot + one.link[0] : 0;
  parent?.children.push(one);
});
for (const one of [...switches].reverse()) {
  one.first = one.hosts[0]?.name ?? one.children[0]?.first ?? "";
  one.last = one.children.at(-1)?.last ?? one.hosts.at(-1)?.name ?? "";
  const parent = switches[one.parent];
  if (!parent) continue;
  parent.hostsBelow += one.hostsBelow;
  parent.switchesBelow += one.switchesBelow + 1;
}

// Delays from teal (shortest) over amber to red (longest), by their logarithm.
const delays = [...switches.slice(1).map((one) => one.link[0]), ...hosts.map((host) => host.link[0] ?? 0)].filter((us) => us > 0);
const shortest = delays.reduce((a, b) => Math.min(a, b), Infinity), longest = delays.reduce((a, b) => Math.max(a, b), 0);
function colour(us) {
  const stops = [[31, 150, 136], [222, 160, 20], [205, 60, 75]];
  const at = longest > shortest && us > shortest ? 2 * Math.log(us / shortest) / Math.log(longest / shortest) : 0;
  const from = stops[Math.min(1, Math.floor(at))], to = stops[Math.min(1, Math.floor(at)) + 1], part = at - Math.min(1, Math.floor(at));
  return `rgb(${from.map((value, i) => Math.round(value + part * (to[i] - value)))})`;
}
const width = (hostCount) => 1.5 + Math.log2(1 + hostCount) * 0.35;
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

function draw(tag, parent, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}
const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// Something to press, known by `id` even after everything has been drawn anew.
function button(parent, id, kind, label, expanded, tell, press) {
  const group = draw("g", parent, {id, class: kind, role: "treeitem", tabindex: 0, "aria-label": label});
  if (expanded !== null) group.setAttribute("aria-expanded", expanded);
  group.tell = tell;
  group.press = press;
  return group;
}

function drawLink(layer, from, to, link, hostCount, tell) {
  const bend = Math.min(70, (to.x - from.x) / 2);
  const path = `M${from.x},${from.y}C${from.x + bend},${from.y} ${from.x + bend * 0.3},${to.y} ${from.x + bend + 22},${to.y}H${to.x}`;
  const attributes = {d: path, class: "link" + (isDoubtful(link) ? " doubtful" : ""), stroke: colour(link[0]), "stroke-width": width(hostCount)};
  const drawn = draw("path", layer, attributes);
  const area = draw("path", layer, {d: path, class: "link hover-area"});
  area.tell = tell;
  return drawn;
}

function meshSign(group, x, y, r) {
  const corners = [0, 1, 2, 3, 4, 5].map((i) => [x + (r - 1) * Math.cos(i * Math.PI / 3), y + (r - 1) * Math.sin(i * Math.PI / 3)]);
  const lines = corners.flatMap((a, i) => corners.slice(i + 2).map((b) => `M${a}L${b}`));
  draw("path", group, {d: lines.join("")});
  draw("circle", group, {cx: x, cy: y, r: r + 4, class: "ring"});
}

function switchLines(one) {
  const lines = [one.name, `${plural(one.hostsBelow, "host")}${one.switchesBelow ? " and " + plural(one.switchesBelow, "switch") : ""} below`];
  if (one.parent !== undefined)
    lines.push(...linkLines(one.link, `that it and ${switches[one.parent].name} are two`), "To the root: " + delayText(one.toRoot));
  if (one.mesh) lines.push("No tree inside: paths that meet here may share links or not");
  return lines;
}

function drawBox(group, x, y, title, note, height, wide = 0) {
  const boxWidth = Math.max(wide, title.length * 7.3 + (note ? note.length * 6.7 + 12 : 0) + 20);
  draw("rect", group, {x, y: y - height / 2, width: boxWidth, height, rx: 6});
  const text = draw("text", group, {x: x + 10, y: y - height / 2 + 18});
  draw("tspan", text, {}, title);
  if (note) draw("tspan", text, {class: "dim", dx: 12}, note);
}

function delayRange(list) {
  const known = list.filter((host) => host.link.length > 0).map((host) => host.link[0]);
  if (known.length === 0) return "no link";
  const low = delayText(known.reduce((a, b) => Math.min(a, b))), high = delayText(known.reduce((a, b) => Math.max(a, b)));
  return low === high ? low : `${low} – ${high}`;
}

function drawSwitch(links, nodes, one) {
  const r = radius(one), parent = switches[one.parent];
  if (parent) {
    one.drawnLink = drawLink(links, {x: parent.x + radius(parent), y: parent.y}, {x: one.x - r, y: one.y}, one.link, one.hostsBelow, () => [parent.name + " – " + one.name, ...linkLines(one.link, "that these are two switches")]);
    const label = delayText(one.link[0]) + (one.link[3] ? ", " + bandwidthText(one.link[3]) : "");
    const end = one.x - Math.max(r, Math.min(one.name.length, 10) * 3.65) - 6;
    draw("text", nodes, {x: end, y: one.y - 6, class: "delay"}, label);
    if (isDoubtful(one.link)) draw("text", nodes, {x: end, y: one.y + 14, class: "delay"}, sure(one.link));
  }
  const leaf = one.children.length === 0 && one.hosts.length === 0;
  const kind = "switch" + (one.open || leaf ? "" : " closed") + (one.mesh ? " mesh" : "") + (one.hits && !one.open ? " hit" : "");
  const group = button(nodes, "s" + one.index, kind, `Switch ${one.name}, ${plural(one.hostsBelow, "host")} below`, leaf ? null : one.open, () => switchLines(one), () => { one.open = !one.open; });
  draw("circle", group, {class: "body", cx: one.x, cy: one.y, r});
  if (one.mesh) meshSign(group, one.x, one.y, r);
  draw("text", group, {x: one.x, y: one.y - r - (one.mesh ? 9 : 5), class: "name"}, short(one.name, 24));
  if (one.open || leaf) return;
  const box = button(nodes, "b" + one.index, "group" + (one.hits ? " hit" : ""), "Open " + one.name, false, () => switchLines(one), () => { one.open = true; });
  const title = one.hostsBelow === one.hosts.length ? one.range : `${short(one.first, 14)} … ${short(one.last, 14)}`;
  const rest = one.hostsBelow === one.hosts.length ? "" : `, ${plural(one.switchesBelow, "switch")}`;
  drawBox(box, one.x + r + 8, one.y, short(title ?? "", 34), plural(one.hostsBelow, "host") + rest, 26);
}

function drawGroup(links, nodes, one) {
  const from = {x: one.x + radius(one), y: one.y}, to = {x: one.x + column - indent, y: one.groupY};
  const doubtful = one.hosts.filter((host) => isDoubtful(host.link));
  const link = [one.hosts.reduce((most, host) => Math.max(most, host.link[0] ?? 0), 0), doubtful.length === one.hosts.length ? 0 : 1];
  const lines = () => [one.range, `${plural(one.hosts.length, "host")} on ${one.name}`, "One way: " + delayRange(one.hosts),
    ...(doubtful.length ? [`${doubtful.length} of them may hang elsewhere`] : [])];
  one.groupLink = drawLink(links, from, to, link, one.hosts.length, lines);
  const hit = one.hosts.some((host) => host.hit);
  const group = button(nodes, "g" + one.index, "group" + (doubtful.length ? " doubtful-hosts" : "") + (hit ? " hit" : ""), `${one.range}, ${plural(one.hosts.length, "host")}`, one.groupOpen, lines, () => { one.groupOpen = !one.groupOpen; });
  const note = (one.hosts.length > 1 ? one.hosts.length + " hosts, " : "") + delayRange(one.hosts) + (doubtful.length ? (one.hosts.length === 1 ? ", " + sure(one.hosts[0].link) : `, ${doubtful.length} doubtful`) : "");
  if (!one.grid) return drawBox(group, to.x, to.y, short(one.range, 34), note, 26);
  const {chip, columns, rows} = one.grid, height = 28 + rows * (chipHeight + 3);
  drawBox(group, to.x, to.y, short(one.range, 34), note, height, columns * (chip + 4) + 12);
  one.hosts.forEach((host, i) => {
    const x = to.x + 8 + (i % columns) * (chip + 4), y = to.y - height / 2 + 26 + Math.floor(i / columns) * (chipHeight + 3);
    const kind = "chip" + (isDoubtful(host.link) ? " doubtful-host" : "") + (host.hit ? " hit" : "") + (host === chosen ? " chosen" : "");
    const cell = button(nodes, `h${one.index}-${i}`, kind, "Host " + host.name, null, () => hostLines(host), () => { chosen = chosen === host ? null : host; });
    cell.host = host;
    draw("rect", cell, {x, y, width: chip, height: chipHeight, rx: 4});
    draw("rect", cell, {x, y, width: 4, height: chipHeight, rx: 2, style: `fill:${colour(host.link[0] ?? 0)};stroke:none`});
    draw("text", cell, {x: x + 9, y: y + 14}, short(host.name, 40));
  });
}

// The switches whose links up lie on the way between two hosts, and its delay.
let chosen = null;
function way(a, b) {
  const used = [];
  let delay = (a.link[0] ?? 0) + (b.link[0] ?? 0), [one, other] = [switches[a.at], switches[b.at]];
  while (one !== other) {
    if (one.depth < other.depth) [one, other] = [other, one];
    used.push(one);
    delay += one.link[0];
    one = switches[one.parent];
  }
  return {used, delay};
}

function hostLines(host) {
  const at = switches[host.at];
  const lines = [host.name, "on " + at.name];
  if (host.link.length > 0) lines.push(...linkLines(host.link, "that it hangs here"));
  if (chosen === host) lines.push("Chosen: point at another host to see the way there");
  else if (chosen) lines.push(`From ${chosen.name}: ${delayText(way(chosen, host).delay)}, ${plural(way(chosen, host).used.length + 2, "link")}`);
  else lines.push("To the root: " + delayText(at.toRoot + (host.link[0] ?? 0)));
  return lines;
}

function render() {
  const visible = layOut();
  const focused = document.activeElement?.id;
  world.replaceChildren();
  const links = draw("g", world), nodes = draw("g", world);
  for (const one of visible) {
    drawSwitch(links, nodes, one);
    if (one.open && one.hosts.length > 0) drawGroup(links, nodes, one);
  }
  if (focused) byId(focused)?.focus({preventScroll: true});
  place();
}

// The view: where the world lies on the screen.
const view = {x: 0, y: 0, scale: 1};
function place() {
  world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
}
function zoom(factor, x, y) {
  const scale = Math.min(4, Math.max(0.02, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  place();
}
const zoomMiddle = (factor) => zoom(factor, drawing.clientWidth / 2, drawing.clientHeight / 2);
function fit(least = 0) {
  const box = world.getBBox(), room = 24;
  const scale = Math.min((drawing.clientWidth - 2 * room) / box.width, (drawing.clientHeight - 2 * room) / box.height, 1.4);
  view.scale = Math.max(scale, least);
  view.x = Math.max(room, (drawing.clientWidth - box.width * view.scale) / 2) - box.x * view.scale;
  const middle = view.scale > scale ? switches[0].y : box.y + box.height / 2;
  view.y = drawing.clientHeight / 2 - middle * view.scale;
  place();
}

// What was pressed stays where it is on the screen.
function press(target) {
  const before = target.getBoundingClientRect();
  const {id} = target;
  target.press();
  render();
  const after = (byId(id) ?? byId("s" + id.slice(1)))?.getBoundingClientRect();
  if (!after) return;
  view.x += before.left - after.left;
  view.y += before.top - after.top;
  place();
}

function showTip(target, x, y) {
  tip.hidden = !target;
  if (!target) return;
  tip.replaceChildren(...target.tell().map((line) => Object.assign(document.createElement("div"), {textContent: line})));
  const main = drawing.getBoundingClientRect();
  tip.style.left = Math.min(x - main.left + 14, main.width - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.max(4, Math.min(y - main.top + 14, main.height - tip.offsetHeight - 8)) + "px";
}

let lit = [];
function light(target) {
  for (const link of lit) link.classList.remove("on");
  lit = [];
  if (!target?.host) return;
  const used = chosen ? way(chosen, target.host).used : ancestors(switches[target.host.at]);
  lit = [...used.map((one) => one.drawnLink), switches[target.host.at].groupLink, chosen && switches[chosen.at].groupLink];
  lit = lit.filter((link) => link?.isConnected);
  for (const link of lit) link.classList.add("on");
}
function ancestors(one) {
  const list = [];
  for (; one.parent !== undefined; one = switches[one.parent]) list.push(one);
  return list;
}

const told = (event) => {
  for (let node = event.target; node && node !== drawing; node = node.parentNode) if (node.tell) return node;
  return null;
};
const pointers = new Map();
let moved = 0;
drawing.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, event);
  if (pointers.size === 1) moved = 0;
});
addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
  moved += Math.abs(dx) + Math.abs(dy);
  if (moved > 4) drawing.classList.add("dragged");
  if (pointers.size === 2) {
    const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const apart = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
    const main = drawing.getBoundingClientRect();
    zoom(apart(event) / Math.max(1, apart(last)), other.clientX - main.left, other.clientY - main.top);
  } else if (moved > 4) {
    view.x += dx;
    view.y += dy;
    place();
  }
  pointers.set(event.pointerId, event);
});
for (const end of ["pointerup", "pointercancel"])
  addEventListener(end, (event) => {
    pointers.delete(event.pointerId);
    drawing.classList.remove("dragged");
  });
drawing.addEventListener("click", (event) => {
  const target = told(event);
  if (moved <= 4 && target?.press) press(target);
});
drawing.addEventListener("pointermove", (event) => {
  const target = pointers.size ? null : told(event);
  showTip(target, event.clientX, event.clientY);
  light(target);
});
drawing.addEventListener("pointerleave", () => showTip(null));
drawing.addEventListener("wheel", (event) => {
  event.preventDefault();
  const main = drawing.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - main.left, event.clientY - main.top);
}, {passive: false});
drawing.addEventListener("focusin", (event) => {
  const target = told(event), box = target?.getBoundingClientRect();
  if (target?.matches(":focus-visible")) showTip(target, box.left + 20, box.bottom);
});

addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.press && (event.key === "Enter" || event.key === " ")) press(event.target);
  else if (event.key === "/") byId("search").focus();
  else if (event.key === "+") zoomMiddle(1.25);
  else if (event.key === "-") zoomMiddle(0.8);
  else if (event.key === "0") fit();
  else return;
  event.preventDefault();
});

// Searching: hosts and switches whose name holds the text; Enter goes to the next one.
let hits = [], nextHit = 0;
function search() {
  const text = byId("search").value.trim().toLowerCase();
  const holds = (one) => text !== "" && one.name.toLowerCase().includes(text);
  for (const one of switches) one.hits = 0;
  for (const host of hosts) host.hit = holds(host);
  hits = [...hosts.filter((host) => host.hit), ...switches.filter(holds)];
  for (const hit of hits) for (let one = switches[hit.at ?? hit.index]; one; one = switches[one.parent]) one.hits++;
  nextHit = 0;
  byId("found").textContent = text === "" ? "" : plural(hits.length, "match");
  render();
}
function goToHit() {
  if (hits.length === 0) return;
  const hit = hits[nextHit];
  byId("found").textContent = `${nextHit + 1} of ${hits.length}: ${short(hit.name, 30)}`;
  nextHit = (nextHit + 1) % hits.length;
  const at = switches[hit.at ?? hit.index];
  for (const one of ancestors(at)) switches[one.parent].open = true;
  if (hit.at !== undefined) at.open = at.groupOpen = true;
  render();
  const id = hit.at !== undefined ? `h${at.index}-${at.hosts.indexOf(hit)}` : "s" + at.index;
  const box = byId(id).getBoundingClientRect(), main = drawing.getBoundingClientRect();
  view.x += main.left + main.width / 2 - (box.left + box.width / 2);
  view.y += main.top + main.height / 2 - (box.top + box.height / 2);
  if (view.scale < 0.6) zoomMiddle(1 / view.scale);
  place();
}
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") goToHit();
  if (event.key === "Escape") byId("search").blur();
});
function setAll(open) {
  for (const one of switches) one.open = open;
  render();
  fit();
}
byId("open").onclick = () => setAll(true);
byId("close").onclick = () => setAll(false);
byId("fit").onclick = () => fit();
byId("nearer").onclick = () => zoomMiddle(1.25);
byId("farther").onclick = () => zoomMiddle(0.8);
addEventListener("beforeprint", () => fit());

function drawLegend() {
  const signs = byId("signs");
  const say = (y, text) => draw("text", signs, {x: 76, y: y + 4}, text);
  const gradient = draw("linearGradient", signs, {id: "delays"});
  for (const part of [0, 0.25, 0.5, 0.75, 1])
    draw("stop", gradient, {offset: part, "stop-color": colour(shortest * (longest / shortest) ** part)});
  draw("rect", signs, {x: 4, y: 8, width: 64, height: 6, rx: 3, fill: "url(#delays)"});
  say(12, longest > 0 ? `one way, ${delayText(shortest)} to ${delayText(longest)}` : "one way");
  const sign = (y, kind, x, r) => draw("circle", draw("g", signs, {class: "switch " + kind}), {class: "body", cx: x, cy: y, r});
  sign(40, "", 16, 7); sign(40, "", 34, 9); sign(40, "", 57, 12);
  say(40, "switches, by hosts below");
  sign(70, "closed", 36, 9); say(70, "closed: press to open");
  const mesh = draw("g", signs, {class: "switch mesh"});
  draw("circle", mesh, {class: "body", cx: 36, cy: 101, r: 10});
  meshSign(mesh, 36, 101, 10);
  say(101, "no tree inside");
  draw("path", signs, {d: "M6,134H66", class: "link doubtful", stroke: colour(longest), "stroke-width": 3});
  say(134, `less than ${doubt * 100}% sure`);
}

byId("counts").textContent = `${plural(hosts.length, "host")}, ${plural(switches[0].direct ? 0 : switches.length, "switch")}`;
openSome(28, 6);
render();
drawLegend();
fit(0.6);
