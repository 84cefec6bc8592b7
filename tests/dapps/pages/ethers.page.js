// ethers 6 over the provider.

import { BrowserProvider, parseEther, verifyMessage, verifyTypedData } from "ethers";
import { check, equal, given, judge, MAIL, OTHER, provider } from "./judge.js";

let browser;
const ready = async () => (browser ??= new BrowserProvider(await provider(), undefined, { polling: true, pollingInterval: 50, cacheTimeout: -1 }));
const signer = async () => (await ready()).getSigner();
const rejected = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return equal(error.code, "ACTION_REJECTED", "the code");
  }
  throw new Error("it was not rejected");
};

judge([
  {
    name: "no account before the connection",
    method: "eth_accounts",
    run: async () => equal(await (await ready()).listAccounts(), []),
  },
  {
    name: "connection",
    method: "eth_requestAccounts",
    user: ["approve"],
    async run() {
      equal(await (await signer()).getAddress(), given.address);
      equal((await (await ready()).getNetwork()).chainId.toString(), "1");
    },
  },
  {
    name: "message signed and verified",
    method: "personal_sign",
    user: ["approve"],
    async run() {
      const message = "Hello from ethers";
      equal(verifyMessage(message, await (await signer()).signMessage(message)), given.address);
    },
  },
  {
    name: "message rejected",
    method: "personal_sign",
    user: ["reject"],
    result: "4001, ACTION_REJECTED",
    run: async () => rejected((await signer()).signMessage("no")),
  },
  {
    name: "typed data signed and verified",
    method: "eth_signTypedData_v4",
    user: ["approve"],
    async run() {
      const { domain, types, message } = MAIL;
      equal(verifyTypedData(domain, types, message, await (await signer()).signTypedData(domain, types, message)), given.address);
    },
  },
  {
    name: "payment",
    method: "eth_sendTransaction",
    user: ["approve"],
    mines: 1,
    async run() {
      const sent = await (await signer()).sendTransaction({ to: OTHER, value: parseEther("0.01") });
      check((await sent.wait()).status === 1, "it succeeded");
    },
  },
  {
    name: "payment rejected",
    method: "eth_sendTransaction",
    user: ["reject"],
    result: "4001, ACTION_REJECTED",
    run: async () => rejected((await signer()).sendTransaction({ to: OTHER, value: 1n })),
  },
]);
