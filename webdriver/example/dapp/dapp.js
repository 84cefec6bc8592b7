// A dapp without a library: it finds the wallet by EIP-6963 and speaks EIP-1193 and EIP-5792 to it.

const AUTHORS = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"];
const TIP = "0x2386f26fc10000"; // 0.01 ether, in wei

const by = (id) => document.getElementById(id);
let provider;
let account;

window.addEventListener("eip6963:announceProvider", ({ detail }) => {
  if (detail.info.rdns !== "dev.countersign" || provider) return;
  provider = detail.provider;
  provider.on("accountsChanged", (accounts) => show(accounts));
  provider.on("chainChanged", (chain) => (by("chain").textContent = chain));
  provider.request({ method: "eth_accounts" }).then(show);
});
window.dispatchEvent(new Event("eip6963:requestProvider"));

async function show([first]) {
  account = first;
  by("account").textContent = first ?? "none";
  by("chain").textContent = first ? await provider.request({ method: "eth_chainId" }) : "none";
  for (const id of ["sign-in", "tip", "tip-both"]) by(id).disabled = !first;
}

/** Does what a button says, and shows the answer or the wallet's refusal. */
function on(id, work) {
  by(id).addEventListener("click", async () => {
    by("answer").textContent = "waiting";
    try {
      by("answer").textContent = await work();
    } catch (error) {
      by("answer").textContent = `refused: ${error.code} ${error.message}`;
    }
  });
}

on("connect", async () => {
  await show(await provider.request({ method: "eth_requestAccounts" }));
  return "connected";
});

on("sign-in", () => {
  const message = [
    `${location.host} wants you to sign in with your Ethereum account:`,
    account,
    "",
    "Sign in to the tip jar.",
    "",
    `URI: ${location.origin}/`,
    "Version: 1",
    "Chain ID: 1",
    `Nonce: ${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join("\n");
  const hex = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return provider.request({ method: "personal_sign", params: [`0x${hex}`, account] });
});

on("tip", () =>
  provider.request({ method: "eth_sendTransaction", params: [{ from: account, to: AUTHORS[0], value: TIP }] }),
);

on("tip-both", async () => {
  const calls = AUTHORS.map((to) => ({ to, value: TIP }));
  const batch = { version: "2.0.0", from: account, chainId: "0x1", atomicRequired: false, calls };
  const { id } = await provider.request({ method: "wallet_sendCalls", params: [batch] });
  follow(id);
  return id;
});

/** Shows the status of a batch until it is final. */
async function follow(id) {
  const { status, receipts = [] } = await provider.request({ method: "wallet_getCallsStatus", params: [id] });
  by("status").textContent = `${status}, ${receipts.length} receipts`;
  if (status === 100) setTimeout(() => follow(id), 200);
}
