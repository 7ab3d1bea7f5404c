// The program's second half: what a first visit does not run is a module of its own (see js/split). It shares the first one's memory.
let first;
let module;
let fetching;
let waiting;

/** The exports of the first module, called before anything else; a page built for development has no second one. */
export function begin(exports) {
  first = exports;
}

/** The second module, for who has it already. */
export function provide(compiled) {
  module = compiled;
}

/** Where the second module is; undefined when there is none. */
function address() {
  const name = globalThis.document?.querySelector('meta[name="loopscope-rest"]')?.content;
  return name && new URL(`${name}.wasm`, document.baseURI);
}

/** How long after a first visit has come to rest nothing more is fetched, in milliseconds. */
const QUIET_MS = 3000;

/** Has the second module fetched, in a moment. */
export function fetchLater() {
  waiting ??= setTimeout(() => { fetchRest(); keepOffline(); }, QUIET_MS);
}

/** Has the page kept for visits without a network. Where that is not allowed (a frame, a file), nothing is lost. */
function keepOffline() {
  const name = document.querySelector('meta[name="loopscope-worker"]')?.content;
  if (name) navigator.serviceWorker?.register(new URL(`${name}.js`, document.baseURI)).catch(() => {});
}

/** Fetches the second module while nothing waits for it. A failure is no matter yet: it is asked for again when it is needed. */
function fetchRest() {
  const url = address();
  if (fetching || module || !url) return;
  fetching = WebAssembly.compileStreaming(fetch(url)).then((compiled) => { module ??= compiled; }, () => { fetching = undefined; });
}

// The service worker does not see the request of a flow that cannot be left, so who may be without a network has the second module
// before the program begins: it comes from the cache.
if (globalThis.navigator?.serviceWorker?.controller) {
  fetchRest();
  await fetching;
}

/** Called by the program when it needs the second module at once, in the middle of a function. */
export function loadRest() {
  if (!first?.here || first.here.value) return;
  try {
    module ??= new WebAssembly.Module(now(address()));
  } catch (error) {
    // The program stands in the middle of a function and cannot go on: as bad as a trap, and shown like one.
    throw new WebAssembly.RuntimeError(`the rest of the program could not be fetched: ${error.message}`);
  }
  new WebAssembly.Instance(module, { first });
  first.here.value = 1;
}

/** The bytes at `url`, waited for: the flow that asks cannot be left. */
function now(url) {
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) throw new Error(`status ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0) & 0xff);
}
