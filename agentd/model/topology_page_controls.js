// What stands round the drawing: search, buttons, legend. Last, the page is begun.

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
  if (rates.length === 0) return;
  signs.setAttribute("height", 180);
  draw("path", signs, {d: "M6,163H66L66,173Z", style: `fill:${colour(longest)}`});
  say(168, slowest < fastest ? `${rateText(slowest)} to ${rateText(fastest)}` : rateText(fastest));
}

byId("counts").textContent = `${plural(hosts.length, "host")}, ${plural(switches[0].direct ? 0 : switches.length, "switch")}`;
openSome(28, 6);
render();
drawLegend();
fit(0.6);
