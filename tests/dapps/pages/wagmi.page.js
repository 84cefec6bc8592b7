// wagmi's core over the provider, found by EIP-6963.

import {
  connect, createConfig, createStorage, custom, disconnect, getAccount, getCapabilities, reconnect, sendCalls, sendTransaction, signMessage,
  signTypedData, switchChain, verifyMessage, verifyTypedData, waitForCallsStatus, waitForTransactionReceipt, watchAccount, watchAsset,
} from "@wagmi/core";
import { arbitrum, mainnet } from "viem/chains";
import { check, equal, given, judge, MAIL, OTHER, provider, refused, until } from "./judge.js";

let config;
const accounts = [];
const ready = async () => {
  if (config) return config;
  const wallet = await provider();
  const transport = custom(wallet, { retryCount: 0 });
  config = createConfig({
    chains: [mainnet, arbitrum],
    transports: { [mainnet.id]: transport, [arbitrum.id]: transport },
    storage: createStorage({ storage: window.sessionStorage }),
    pollingInterval: 50,
  });
  watchAccount(config, { onChange: ({ address, chainId, status }) => accounts.push({ address, chainId, status }) });
  return config;
};
const connector = async () => {
  await ready();
  return until("the connector", () => config.connectors.find(({ id }) => id === "dev.countersign"));
};

judge([
  {
    name: "connector found by EIP-6963",
    method: "eip6963:announceProvider",
    run: async () => equal((await connector()).name, "Countersign"),
  },
  {
    name: "connection",
    method: "wallet_requestPermissions, eth_requestAccounts",
    user: ["approve"],
    async run() {
      const found = await connector();
      const { accounts: given_, chainId } = await connect(config, { connector: found });
      equal([given_, chainId], [[given.address], 1]);
      equal(getAccount(config).status, "connected");
    },
  },
  {
    name: "message signed and verified",
    method: "personal_sign",
    user: ["approve"],
    async run() {
      const message = "Hello from wagmi";
      const signature = await signMessage(config, { message });
      check(await verifyMessage(config, { address: given.address, message, signature }), "the signature is the account's");
    },
  },
  {
    name: "typed data signed and verified",
    method: "eth_signTypedData_v4",
    user: ["approve"],
    async run() {
      const signature = await signTypedData(config, MAIL);
      check(await verifyTypedData(config, { address: given.address, ...MAIL, signature }), "the signature is the account's");
    },
  },
  {
    name: "payment",
    method: "eth_sendTransaction",
    user: ["approve"],
    mines: 1,
    async run() {
      const hash = await sendTransaction(config, { to: OTHER, value: 5n });
      equal((await waitForTransactionReceipt(config, { hash })).status, "success");
    },
  },
  {
    name: "payment rejected",
    method: "eth_sendTransaction",
    user: ["reject"],
    result: "4001",
    run: async () => void (await refused(4001, sendTransaction(config, { to: OTHER, value: 5n }))),
  },
  {
    name: "another chain and back",
    method: "wallet_switchEthereumChain",
    async run() {
      equal((await switchChain(config, { chainId: arbitrum.id })).id, arbitrum.id);
      await until("the account on the other chain", () => getAccount(config).chainId === arbitrum.id);
      equal((await switchChain(config, { chainId: 1 })).id, 1);
    },
  },
  {
    name: "capabilities",
    method: "wallet_getCapabilities",
    run: async () => check((await getCapabilities(config, { chainId: 1 })) !== undefined, "an answer"),
  },
  {
    name: "two calls",
    method: "wallet_sendCalls, wallet_getCallsStatus",
    user: ["approve"],
    mines: 2,
    async run() {
      const { id } = await sendCalls(config, { calls: [{ to: OTHER, value: 1n }, { to: OTHER, value: 2n }] });
      equal((await waitForCallsStatus(config, { id, timeout: 30_000, pollingInterval: 100 })).statusCode, 200);
    },
  },
  {
    name: "token watched",
    method: "wallet_watchAsset",
    user: ["approve"],
    async run() {
      const options = { address: "0xdAC17F958D2ee523a2206206994597C13D831ec7", symbol: "USDT", decimals: 6 };
      equal(await watchAsset(config, { type: "ERC20", options }), true);
    },
  },
  {
    name: "connected again without a prompt",
    method: "eth_accounts",
    async run() {
      config = undefined;
      const found = await connector();
      await config.storage.setItem("recentConnectorId", found.id);
      const [connection] = await reconnect(config, { connectors: [found] });
      equal(connection?.accounts, [given.address]);
    },
  },
  {
    name: "disconnection",
    method: "wallet_revokePermissions",
    async run() {
      await disconnect(config);
      equal(getAccount(config).status, "disconnected");
      equal(await (await provider()).request({ method: "eth_accounts" }), []);
    },
  },
]);
