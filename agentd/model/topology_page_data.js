// What the page shows: the switches and hosts of its data, and what is known of their links in words.
"use strict";
// The data: switches, each after its parent, the root first:
//   {"name", "parent": index, "link": LINK, "mesh": true, "range": its hosts, folded, "hosts": [[name, ...LINK], ...]}
// LINK is [delay in us, confidence, standard error in us, [the lesser bandwidth of its two directions in bits/s, both in words]];
// members and the last parts may be missing.
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
const rateText = (rate) => withUnit(rate, [[1e3, "kbit/s"], [1e6, "Mbit/s"], [1e9, "Gbit/s"]]);
const rateOf = (link) => link[3]?.[0] ?? 0;
const sure = (link) => Math.floor((link[1] ?? 1) * 100 + 1e-9) + "% sure";
const isDoubtful = (link) => (link[1] ?? 1) < doubt;

function linkLines(link, claim) {
  const lines = ["One way: " + delayText(link[0]) + (link[2] ? " ± " + delayText(link[2]) : "")];
  if (link[3]) lines.push("Bandwidth: " + link[3][1]);
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

