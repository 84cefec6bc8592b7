// viem over the provider: EIP-1193, 2255, 3085, 3326, 747, 712, 4361, 5792.

import { createPublicClient, createWalletClient, custom, parseEther, verifyTypedData } from "viem";
import { createSiweMessage, generateSiweNonce, verifySiweMessage } from "viem/siwe";
import { arbitrum, mainnet } from "viem/chains";
import { ask, check, discover, equal, given, judge, MAIL, OTHER, provider, refused, signedBy, until } from "./judge.js";

const events = [];
const clients = async () => {
  const transport = custom(await provider(), { retryCount: 0 });
  const wallet = createWalletClient({ account: given.address, chain: mainnet, transport });
  return { wallet, node: createPublicClient({ chain: mainnet, transport, pollingInterval: 50 }) };
};
const heard = (name, passes = () => true) => until(`the event ${name}`, () => events.find((event) => event.name === name && passes(event.data)));
const siwe = (fields = {}) =>
  createSiweMessage({ address: given.address, chainId: 1, domain: location.host, nonce: generateSiweNonce(), uri: location.href, version: "1", ...fields });
const batch = (fields = {}) => ({
  version: "2.0.0",
  from: given.address,
  chainId: "0x1",
  atomicRequired: false,
  calls: [{ to: OTHER, value: "0x1" }, { to: OTHER, value: "0x2" }],
  ...fields,
});

judge([
  {
    name: "announced by EIP-6963, frozen, with a data URI",
    method: "eip6963:announceProvider",
    async run() {
      const detail = await discover();
      check(Object.isFrozen(detail), "the detail is frozen");
      const { uuid, name, icon, rdns } = detail.info;
      check(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid), `${uuid} is a version 4 UUID`);
      check(icon.startsWith("data:image/"), "the icon is a data URI");
      equal([name, rdns], ["Countersign", "dev.countersign"]);
      for (const event of ["connect", "disconnect", "accountsChanged", "chainChanged"]) {
        detail.provider.on(event, (data) => events.push({ name: event, data }));
      }
    },
  },
  {
    name: "a stranger learns the chain and no account",
    method: "eth_chainId, net_version, eth_accounts, wallet_getPermissions",
    async run() {
      equal(await ask("eth_chainId"), "0x1");
      equal(await ask("net_version"), "1");
      equal(await ask("eth_accounts"), []);
      equal(await ask("wallet_getPermissions"), []);
    },
  },
  {
    name: "a stranger signs nothing",
    method: "personal_sign, eth_sendTransaction, wallet_sendCalls, wallet_getCapabilities",
    result: "4100",
    async run() {
      await refused(4100, ask("personal_sign", ["0x00", given.address]));
      await refused(4100, ask("eth_sendTransaction", [{ from: given.address, to: OTHER, value: "0x1" }]));
      await refused(4100, ask("wallet_sendCalls", [batch()]));
      await refused(4100, ask("wallet_getCapabilities", [given.address]));
    },
  },
  {
    name: "connection rejected",
    method: "eth_requestAccounts",
    user: ["reject"],
    result: "4001",
    async run() {
      const { wallet } = await clients();
      await refused(4001, wallet.requestAddresses());
    },
  },
  {
    name: "connection",
    method: "eth_requestAccounts",
    user: ["approve"],
    async run() {
      const { wallet } = await clients();
      equal(await wallet.requestAddresses(), [given.address]);
      equal(await wallet.getAddresses(), [given.address]);
      await heard("connect", ({ chainId }) => chainId === "0x1");
      await heard("accountsChanged", ([first]) => first?.toLowerCase() === given.address.toLowerCase());
    },
  },
  {
    name: "reads of the user's node",
    method: "eth_blockNumber, eth_getBalance, eth_call, eth_estimateGas, eth_getBlockByNumber",
    async run() {
      const { wallet, node } = await clients();
      equal(await wallet.getChainId(), 1);
      check((await node.getBlockNumber()) >= 0n, "a block");
      check((await node.getBalance({ address: given.address })) > parseEther("1"), "a balance");
      check((await node.estimateGas({ account: given.address, to: OTHER, value: 1n })) >= 21000n, "an estimate");
      equal((await node.call({ to: OTHER, data: "0x" })).data, undefined);
      equal((await node.getBlock({ blockTag: "latest" })).number >= 0n, true);
    },
  },
  {
    name: "message signed and verified",
    method: "personal_sign",
    user: ["approve"],
    async run() {
      const { wallet } = await clients();
      const message = "Hello, Countersign: ünï ✓";
      check(await signedBy(given.address, message, await wallet.signMessage({ message })), "the signature is the account's");
    },
  },
  {
    name: "message rejected",
    method: "personal_sign",
    user: ["reject"],
    result: "4001",
    async run() {
      const { wallet } = await clients();
      await refused(4001, wallet.signMessage({ message: "no" }));
    },
  },
  {
    name: "typed data signed and verified",
    method: "eth_signTypedData_v4",
    user: ["approve"],
    async run() {
      const { wallet } = await clients();
      const signature = await wallet.signTypedData(MAIL);
      check(await verifyTypedData({ address: given.address, ...MAIL, signature }), "the signature is the account's");
    },
  },
  {
    name: "sign-in with Ethereum",
    method: "personal_sign (EIP-4361)",
    user: ["approve"],
    async run() {
      const { wallet, node } = await clients();
      const message = siwe();
      const signature = await wallet.signMessage({ message });
      check(await verifySiweMessage(node, { message, signature, domain: location.host }), "a valid sign-in");
    },
  },
  {
    name: "sign-in for another domain",
    method: "personal_sign (EIP-4361)",
    result: "refused",
    async run() {
      const { wallet } = await clients();
      try {
        await wallet.signMessage({ message: siwe({ domain: "bank.example" }) });
      } catch {
        return;
      }
      throw new Error("it was signed");
    },
  },
  {
    name: "payment",
    method: "eth_sendTransaction",
    user: ["approve"],
    mines: 1,
    async run() {
      const { wallet, node } = await clients();
      const hash = await wallet.sendTransaction({ to: OTHER, value: parseEther("0.01") });
      equal((await node.waitForTransactionReceipt({ hash })).status, "success");
    },
  },
  {
    name: "payment rejected",
    method: "eth_sendTransaction",
    user: ["reject"],
    result: "4001",
    async run() {
      const { wallet } = await clients();
      await refused(4001, wallet.sendTransaction({ to: OTHER, value: 1n }));
    },
  },
  {
    name: "bad parameters",
    method: "eth_sendTransaction, personal_sign, eth_signTypedData_v4",
    result: "−32602",
    async run() {
      await refused(-32602, ask("eth_sendTransaction", [{ from: given.address, to: "0x12", value: "0x1" }]));
      await refused(-32602, ask("eth_sendTransaction", [{ from: given.address, to: OTHER, value: "ten" }]));
      await refused(-32602, ask("eth_sendTransaction", []));
      await refused(-32602, ask("personal_sign", []));
      await refused(-32602, ask("eth_signTypedData_v4", [given.address, "{"]));
    },
  },
  {
    name: "refused for good",
    method: "eth_sign, eth_signTransaction, eth_decrypt, unknown_method",
    result: "4200",
    async run() {
      await refused(4200, ask("eth_sign", [given.address, `0x${"11".repeat(32)}`]));
      await refused(4200, ask("eth_decrypt", ["0x", given.address]));
      await refused(4200, ask("unknown_method", []));
    },
  },
  {
    name: "another chain",
    method: "wallet_switchEthereumChain",
    async run() {
      const { wallet } = await clients();
      await wallet.switchChain({ id: arbitrum.id });
      await heard("chainChanged", (chain) => chain === "0xa4b1");
      equal(await ask("eth_chainId"), "0xa4b1");
      await wallet.switchChain({ id: 1 });
      await heard("chainChanged", (chain) => chain === "0x1");
    },
  },
  {
    name: "a chain that the wallet does not know",
    method: "wallet_switchEthereumChain",
    result: "4902",
    run: async () => void (await refused(4902, ask("wallet_switchEthereumChain", [{ chainId: "0x539abc" }]))),
  },
  {
    name: "token watched",
    method: "wallet_watchAsset",
    user: ["approve"],
    async run() {
      const { wallet } = await clients();
      const options = { address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", symbol: "USDC", decimals: 6 };
      equal(await wallet.watchAsset({ type: "ERC20", options }), true);
    },
  },
  {
    name: "permissions",
    method: "wallet_getPermissions",
    async run() {
      const { wallet } = await clients();
      const [permission] = await wallet.getPermissions();
      equal(permission.parentCapability, "eth_accounts");
    },
  },
  {
    name: "capabilities of every chain",
    method: "wallet_getCapabilities",
    async run() {
      const { wallet } = await clients();
      const all = await wallet.getCapabilities();
      check(all[1], "Ethereum is there");
      const some = await ask("wallet_getCapabilities", [given.address, ["0x1", "0x539abc"]]);
      check(some["0x1"] && !("0x539abc" in some), "a chain that is not there is left out");
    },
  },
  {
    name: "two calls, one consent, receipts in order",
    method: "wallet_sendCalls, wallet_getCallsStatus",
    user: ["approve"],
    mines: 2,
    async run() {
      const { wallet } = await clients();
      const { id } = await wallet.sendCalls({ calls: [{ to: OTHER, value: 1n }, { to: OTHER, value: 2n }] });
      const { statusCode, atomic, receipts } = await wallet.waitForCallsStatus({ id, timeout: 30_000, pollingInterval: 100 });
      equal([statusCode, atomic, receipts.map(({ status }) => status)], [200, false, ["success", "success"]]);
    },
  },
  {
    name: "an id of the dapp's own, once",
    method: "wallet_sendCalls, wallet_showCallsStatus",
    user: ["approve"],
    mines: 1,
    result: "answered, then 5720",
    async run() {
      const id = `0x${"ab".repeat(32)}`;
      const calls = [{ to: OTHER, value: "0x3" }];
      equal((await ask("wallet_sendCalls", [batch({ id, calls })])).id, id);
      await refused(5720, ask("wallet_sendCalls", [batch({ id, calls })]));
      await until("the end", async () => (await ask("wallet_getCallsStatus", [id])).status === 200, 30_000);
      await ask("wallet_showCallsStatus", [id]);
    },
  },
  {
    name: "calls rejected",
    method: "wallet_sendCalls",
    user: ["reject"],
    result: "4001",
    run: async () => void (await refused(4001, ask("wallet_sendCalls", [batch()]))),
  },
  {
    name: "atomicity for two calls",
    method: "wallet_sendCalls",
    result: "5760",
    run: async () => void (await refused(5760, ask("wallet_sendCalls", [batch({ atomicRequired: true })]))),
  },
  {
    name: "an unknown capability",
    method: "wallet_sendCalls",
    result: "5700",
    async run() {
      await refused(5700, ask("wallet_sendCalls", [batch({ capabilities: { paymasterService: { url: "https://pay.example" } } })]));
      const calls = [{ to: OTHER, value: "0x1", capabilities: { teleport: {} } }];
      await refused(5700, ask("wallet_sendCalls", [batch({ calls })]));
    },
  },
  {
    name: "calls on a chain that the wallet does not have",
    method: "wallet_sendCalls",
    result: "5710",
    run: async () => void (await refused(5710, ask("wallet_sendCalls", [batch({ chainId: "0x539abc" })]))),
  },
  {
    name: "an unknown batch",
    method: "wallet_getCallsStatus, wallet_showCallsStatus",
    result: "5730",
    async run() {
      await refused(5730, ask("wallet_getCallsStatus", ["0xdead"]));
      await refused(5730, ask("wallet_showCallsStatus", ["0xdead"]));
    },
  },
  {
    name: "too many calls",
    method: "wallet_sendCalls",
    result: "5740",
    run: async () =>
      void (await refused(5740, ask("wallet_sendCalls", [batch({ calls: Array(2000).fill({ to: OTHER, value: "0x1" }) })]))),
  },
  {
    name: "a batch that is none",
    method: "wallet_sendCalls",
    result: "−32602",
    async run() {
      await refused(-32602, ask("wallet_sendCalls", [batch({ version: "9" })]));
      await refused(-32602, ask("wallet_sendCalls", [batch({ calls: [] })]));
      await refused(-32602, ask("wallet_sendCalls", [batch({ chainId: "0x01" })]));
    },
  },
  {
    name: "one consent for two chains",
    method: "countersign_signTransactionBundle",
    user: ["approve"],
    mines: 1,
    async run() {
      const step = (sequence, chain, id) => ({
        id,
        sequence,
        chain,
        action: "transfer",
        signing_mode: "ecdsa_secp256k1",
        wait_for_receipt: true,
        ...given.steps[chain],
      });
      const transactions = [step(1, "Ethereum", "near"), step(2, "Arbitrum", "far")];
      const result = await ask("countersign_signTransactionBundle", [{ bundle_label: "Both chains", transactions }]);
      const statuses = (result.transactions ?? []).map(({ status }) => status);
      equal(statuses, ["confirmed", "confirmed"]);
    },
  },
  {
    name: "revocation by the page",
    method: "wallet_revokePermissions",
    async run() {
      events.length = 0;
      equal(await ask("wallet_revokePermissions", [{ eth_accounts: {} }]), null);
      equal(await ask("eth_accounts"), []);
      await heard("accountsChanged", (accounts) => accounts.length === 0);
      await refused(4100, ask("personal_sign", ["0x00", given.address]));
    },
  },
  {
    name: "permission asked for",
    method: "wallet_requestPermissions",
    user: ["approve"],
    async run() {
      const { wallet } = await clients();
      const [permission] = await wallet.requestPermissions({ eth_accounts: {} });
      equal(permission.parentCapability, "eth_accounts");
      equal(await wallet.getAddresses(), [given.address]);
    },
  },
]);
