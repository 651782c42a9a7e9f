// What a script adds to pages that work without it: rows that follow a run, keys for the approval queue, and a warning before
// typed words are lost. It asks nobody but the service, and puts no text anywhere but what the service drew.

const GATHER_MS = 250;

function live(root) {
  const terminal = ["run_finished", "run_failed", "run_cancelled"];
  const only = root.dataset.question;
  const changed = new Set();
  let busy = false, timer = 0, over = false;

  const address = new URL(root.dataset.events, location.href);
  if (root.dataset.after) address.searchParams.set("after", root.dataset.after);
  const source = new EventSource(address);

  const heard = (event) => {
    let told = {};
    try { told = JSON.parse(event.data); } catch { return; }
    if (told.question) changed.add(told.question);
    if (terminal.includes(told.kind)) { over = true; source.close(); }
    if (only !== undefined) {
      if (over || (told.question === only && told.kind === "decided")) { source.close(); renew(); }
      return;
    }
    plan();
  };
  const kinds = ["run_started", "evidence_read", "seat_started", "seat_finished", "finding", "decided", "overtaken", "run_paused", "run_resumed", ...terminal];
  for (const kind of ["message", ...kinds]) source.addEventListener(kind, heard);
  addEventListener("pagehide", () => source.close());

  const plan = () => { if (!timer && !busy) timer = setTimeout(refetch, GATHER_MS); };

  async function refetch() {
    timer = 0; busy = true;
    const refs = [...changed].slice(0, 60);
    refs.forEach((ref) => changed.delete(ref));
    const wanted = new URL(root.dataset.rows, location.href);
    refs.forEach((ref) => wanted.searchParams.append("ref", ref));
    try {
      const answer = await fetch(wanted, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      if (answer.ok) place(await answer.text());
    } catch { refs.forEach((ref) => changed.add(ref)); }
    busy = false;
    if (over && !changed.size) renew(); else if (changed.size) plan();
  }

  function place(text) {
    const drawn = new DOMParser().parseFromString(text, "text/html");
    const head = drawn.getElementById("runhead"), here = document.getElementById("runhead");
    if (head && here) here.replaceWith(document.adoptNode(head));
    for (const row of [...drawn.querySelectorAll("tr[id]")]) {
      const old = document.getElementById(row.id);
      if (old && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(row));
    }
  }
}

// The page is loaded anew, unless somebody is typing on it: then a button offers it.
function renew() {
  const typed = [...document.querySelectorAll("textarea, input:not([type=hidden]), select")].some(
    (field) => field.value !== (field.defaultValue ?? "") && field.type !== "checkbox" && field.tagName !== "SELECT");
  if (!typed) { location.reload(); return; }
  const toast = document.createElement("div");
  toast.className = "toast"; toast.setAttribute("role", "status");
  const said = document.createElement("span"); said.textContent = "There is a newer result. Reloading loses what you typed.";
  const button = document.createElement("button"); button.className = "small"; button.textContent = "Reload";
  button.addEventListener("click", () => location.reload());
  toast.append(said, button);
  document.body.append(toast);
}

function queue(list) {
  const cards = [...list.querySelectorAll(".waiting")];
  const help = document.querySelector("[data-queue-help]");
  if (help) help.hidden = false;
  const at = () => cards.findIndex((card) => card.contains(document.activeElement));
  const go = (to) => { const card = cards[Math.min(cards.length - 1, Math.max(0, to))]; if (card) { card.focus(); card.scrollIntoView({ block: "nearest" }); } };
  const dialog = keysDialog();
  const keys = {
    j: () => go(at() + 1),
    k: () => go(Math.max(0, at() - 1)),
    a: (card) => card?.querySelector("[data-approve]")?.click(),
    r: (card) => { const box = card?.querySelector("[data-reject]"); if (box) { box.open = true; box.querySelector("textarea").focus(); } },
    o: (card) => card?.querySelector("[data-open]")?.click(),
    "?": () => dialog.showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || writing(event.target) || dialog.open) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(cards[at()]);
  });
  if (document.activeElement === document.body) cards[0]?.focus({ preventScroll: true });
}

function keysDialog() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Keys");
  const list = document.createElement("dl");
  for (const [key, said] of [["j", "next answer"], ["k", "previous answer"], ["a", "approve this version"], ["r", "reject it, with a reason"], ["o", "open the whole case"], ["?", "this help"]]) {
    const dt = document.createElement("dt"), kbd = document.createElement("kbd"), dd = document.createElement("dd");
    kbd.textContent = key; dt.append(kbd); dd.textContent = said; list.append(dt, dd);
  }
  const form = document.createElement("form"); form.method = "dialog";
  const close = document.createElement("button"); close.textContent = "Close"; form.append(close);
  const title = document.createElement("h2"); title.textContent = "Keys";
  dialog.append(title, list, form);
  document.body.append(dialog);
  return dialog;
}

function writing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}

// On a question's page j and k lead to its neighbours, a and r to the verdict.
function single() {
  const known = new Map([...document.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, each]));
  if (!known.size) return;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || writing(event.target)) return;
    const found = known.get(event.key);
    if (found) { event.preventDefault(); found.click(); }
  });
}

// A form is sent once, however often its button is pressed.
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.sent) { if (form.dataset.sent) event.preventDefault(); return; }
  form.dataset.sent = "1";
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

document.querySelectorAll("[data-events]").forEach(live);
document.querySelectorAll("[data-queue]").forEach(queue);
single();
