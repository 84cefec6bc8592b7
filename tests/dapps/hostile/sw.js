// A service worker of the page: answers for the extension's files and for the page's own, and forges messages.
const forged = "<!doctype html><title>Forged</title><script src='attack.js'></script>";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") {
    event.respondWith(new Response(forged, { headers: { "content-type": "text/html" } }));
  }
});
addEventListener("message", ({ source, data }) => {
  const message = { target: "countersign-content", id: "from-worker", method: "eth_requestAccounts", params: [] };
  source.postMessage(message);
  source.postMessage({ target: "countersign-inpage", event: "state", data: { connected: true, accounts: ["0xforged"] } });
  source.postMessage({ reached: typeof chrome === "object" && Boolean(chrome.runtime?.connect), asked: data });
});
