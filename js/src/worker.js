// The service worker: after a first visit the page opens without a network. FILES and VERSION are put in by the build.
const PREFIX = `loopscope ${registration.scope} `; // Other pages of this origin may have caches of their own.
const CACHE = PREFIX + VERSION;

addEventListener('install', (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))));

// A new version takes over when no page of the old one is open: until then that one may still fetch its own files.
addEventListener('activate', (event) => event.waitUntil(caches.keys().then((names) => Promise.all(
  names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
))));

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.mode === 'navigate' ? fetch(request).catch(() => stored('./')) : stored(request).then((hit) => hit ?? fetch(request)));
});

/** What this version keeps under a request; a name with a hash in it never changes. */
async function stored(request) {
  return (await caches.open(CACHE)).match(request, { ignoreSearch: true });
}
