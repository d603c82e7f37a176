// What is seen of the drawing, and what is done to it: moving, zooming, pressing, pointing at.

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

