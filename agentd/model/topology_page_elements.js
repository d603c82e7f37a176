// The elements of the drawing: links, switches, groups of hosts, and what each of them tells.

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
  const wide = width(link, hostCount);
  const attributes = {d: path, class: "link" + (isDoubtful(link) ? " doubtful" : ""), stroke: colour(link[0]), "stroke-width": wide, style: `--width: ${wide}px`};
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
    const label = delayText(one.link[0]) + (rateOf(one.link) ? ", " + rateText(rateOf(one.link)) : "");
    const end = one.x - Math.max(r, Math.min(one.name.length, 10) * 3.65) - 6;
    draw("text", nodes, {x: end, y: one.y - 5 - width(one.link, one.hostsBelow) / 2, class: "delay"}, label);
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
  const known = one.hosts.filter((host) => rateOf(host.link)).map((host) => host.link[3]);
  const least = known.length ? known.reduce((a, b) => (b[0] < a[0] ? b : a)) : undefined;
  const link = [one.hosts.reduce((most, host) => Math.max(most, host.link[0] ?? 0), 0), doubtful.length === one.hosts.length ? 0 : 1, 0, least];
  const lines = () => [one.range, `${plural(one.hosts.length, "host")} on ${one.name}`, "One way: " + delayRange(one.hosts),
    ...(least ? [`Bandwidth${known.length > 1 ? ", the least" : ""}: ${least[1]}`] : []),
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

// The switches whose links up lie on the way between two hosts, its delay, and its least bandwidth, 0 if one is not known.
let chosen = null;
function way(a, b) {
  const used = [];
  let delay = (a.link[0] ?? 0) + (b.link[0] ?? 0), rate = Math.min(rateOf(a.link), rateOf(b.link)), [one, other] = [switches[a.at], switches[b.at]];
  while (one !== other) {
    if (one.depth < other.depth) [one, other] = [other, one];
    used.push(one);
    delay += one.link[0];
    rate = Math.min(rate, rateOf(one.link));
    one = switches[one.parent];
  }
  return {used, delay, rate};
}

function hostLines(host) {
  const at = switches[host.at];
  const lines = [host.name, "on " + at.name];
  if (host.link.length > 0) lines.push(...linkLines(host.link, "that it hangs here"));
  if (chosen === host) lines.push("Chosen: point at another host to see the way there");
  else if (chosen) {
    const {used, delay, rate} = way(chosen, host);
    lines.push(`From ${chosen.name}: ${delayText(delay)}, ${plural(used.length + 2, "link")}${rate ? ", " + rateText(rate) : ""}`);
  } else lines.push("To the root: " + delayText(at.toRoot + (host.link[0] ?? 0)));
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

