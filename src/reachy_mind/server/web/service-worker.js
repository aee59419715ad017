// Keeps the page's own files, so that an installed page opens and says that the mind does not answer. Nothing of the API
// is kept, and a file that the server gives is always taken first: no page is ever older than its server.
//
// The server puts a line before this: SHELL, the files and a version that changes with any of them.

const KEPT = `shell-${SHELL.version}`;
const PATIENCE_MS = 5000; // a robot that is switched off does not even refuse

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keep());
});
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isPage = request.mode === "navigate";
  if (request.method !== "GET" || origin !== location.origin || !(isPage || SHELL.files.includes(pathname))) return;
  event.respondWith(fresh(request, isPage ? "/" : pathname));
});

async function keep() {
  const cache = await caches.open(KEPT);
  await Promise.all(
    SHELL.files.map(async (file) => {
      const answer = await fetch(file, { cache: "no-cache" });
      if (!answer.ok || answer.redirected) throw new Error(`${file}: ${answer.status}`); // a login page is none of them
      await cache.put(file, answer);
    }),
  );
}

async function tidy() {
  const old = (await caches.keys()).filter((name) => name.startsWith("shell-") && name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function fresh(request, file) {
  const answer = fetch(request);
  const late = new Promise((_, give) => setTimeout(give, PATIENCE_MS, new Error("late")));
  try {
    return await Promise.race([answer, late]);
  } catch {
    return (await (await caches.open(KEPT)).match(file)) ?? answer;
  }
}
