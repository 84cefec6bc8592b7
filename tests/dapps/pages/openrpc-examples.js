// The examples of MetaMask's OpenRPC documents, on the chain of the test.

/**
 * How a method ends that the wallet refuses, by its name or by its name and the number of the example. Everything else must be
 * answered as the document says.
 */
export const EXPECTED_CODES = {
  // Keys sign, and decrypt nothing.
  eth_decrypt: 4200,
  eth_getEncryptionPublicKey: 4200,
  // No state at a node that others use too.
  eth_subscribe: 4200,
  eth_unsubscribe: 4200,
  eth_newBlockFilter: 4200,
  eth_newFilter: 4200,
  eth_newPendingTransactionFilter: 4200,
  eth_getFilterChanges: 4200,
  eth_getFilterLogs: 4200,
  eth_uninstallFilter: 4200,
  // The wallet sends what it signed.
  eth_sendRawTransaction: 4200,
  // Gnosis is not among its chains.
  wallet_addEthereumChain: 4902,
  wallet_switchEthereumChain: 4902,
  // ERC-721 and ERC-1155.
  "wallet_watchAsset 1": -32602,
  "wallet_watchAsset 2": -32602,
  // Two calls as one, and a batch that was never sent.
  wallet_sendCalls: 5760,
  wallet_getCallsStatus: 5730,
  // MetaMask's own, and ERC-7715.
  wallet_registerOnboarding: 4200,
  wallet_scanQRCode: 4200,
  wallet_requestExecutionPermissions: 4200,
  wallet_getGrantedExecutionPermissions: 4200,
  wallet_getSupportedExecutionPermissions: 4200,
};

/** The parameters of an example, with the wallet's account, and a block and a transaction that exist. */
export function adapt(method, example, params, { address, block, transaction }) {
  if (method.paramStructure === "by-name") return onOurChain(method.name, byName(method, example), address);
  const [first, second] = params;
  switch (method.name) {
    case "personal_sign":
      return [first, address];
    case "eth_signTypedData_v4":
      return [address, second];
    case "eth_sendTransaction":
      // The capital letters of the example's recipient are not its checksum (EIP-55).
      return [{ ...first, from: address, to: first.to.toLowerCase() }];
    case "wallet_sendCalls":
      return [{ ...first, from: address, chainId: "0x1" }];
    case "wallet_getCapabilities":
      return [address, ["0x1"]];
    case "eth_call":
      return [{ ...first, from: address }, second];
    case "eth_getBlockByHash":
    case "eth_getBlockTransactionCountByHash":
    case "eth_getUncleCountByBlockHash":
      return [block.hash, ...params.slice(1)];
    case "eth_getBlockByNumber":
    case "eth_getBlockTransactionCountByNumber":
    case "eth_getUncleCountByBlockNumber":
      return [block.number, ...params.slice(1)];
    case "eth_getTransactionByBlockHashAndIndex":
      return [block.hash, "0x0"];
    case "eth_getTransactionByBlockNumberAndIndex":
      return [block.number, "0x0"];
    case "eth_getTransactionByHash":
    case "eth_getTransactionReceipt":
      return [transaction];
    case "eth_getLogs":
      return [{ fromBlock: block.number, toBlock: block.number }];
    case "eth_getProof":
      // The example's second key is not hexadecimal.
      return [first, second.slice(0, 1), "latest"];
    default:
      return params;
  }
}

/** The runner takes an example's values in the order of the method's parameters; the examples leave some out. */
const byName = (method, example) =>
  Object.fromEntries(method.examples[example].params.map(({ name, value }) => [name, value]));

/** The multichain examples are about the chain 1337, and leave out the parameters of a call. */
function onOurChain(name, params, address) {
  if (name === "wallet_invokeMethod") return { ...params, request: { ...params.request, params: [address, "latest"] } };
  return JSON.parse(JSON.stringify(params).replaceAll('"eip155:1337"', '"eip155:1"'));
}
