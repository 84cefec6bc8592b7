// Calls of contracts, with signatures as their authors write them, and what each of them does for the caller.
import { AbiCoder, Interface, solidityPacked } from "ethers";

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const ZERO = "0x0000000000000000000000000000000000000000";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const LIFI = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const MAX = 2n ** 256n - 1n;
const MAX160 = 2n ** 160n - 1n;
const WORD = `0x${"5a".repeat(32)}`;
const DEADLINE = 1_900_000_000n;

const details = "tuple(address token, uint160 amount, uint48 expiration, uint48 nonce)";
const inner = (signature, values) => new Interface([signature]).encodeFunctionData(signature.match(/function (\w+)/)[1], values);

export function calls(seeds) {
  const tools = toolkit(seeds);
  const groups = [
    tokens, items, permit2, uniswapV2, uniswapV3, universalRouter,
    aggregators, bridges, deposits, others,
  ];
  groups.forEach((group) => group(tools));
  return tools.list;
}

// What the groups of calls below share: accounts, amounts, and words for what happens.
function toolkit({ me, address, number }) {
  const list = [];
  const token = address("a token");
  const other = address("another token");
  const alice = address("alice");
  const bob = address("bob");
  const router = address("a router");
  const amount = number("an amount", 80);
  const least = number("the least", 90);
  const add = (name, signature, values, to, effects, more = {}) =>
    list.push({ name, signature, values, to, effects, ...more });
  const text = (value) => value.toString();

  const transfer = (asset, to, amount) => ({ transfer: { asset, to, amount: text(amount) } });
  const transferFrom = (asset, from, to, amount) => ({ transfer_from: { asset, from, to, amount: text(amount) } });
  const approve = (asset, spender, amount, unlimited) => ({ approve: { asset, spender, amount: text(amount), unlimited } });
  const call = (contract, value, signature, args) => ({ call: { contract, value: text(value), signature, arguments: args } });
  const swap = (provider, at, sell, amount, buy, minimum, recipient) => ({
    swap: { provider, router: at, sell, amount: text(amount), buy, minimum_out: minimum === null ? null : text(minimum), recipient },
  });
  const raw = (name, to, value, data, effects, memo = null) => list.push({ name, to, value, data, effects, memo });
  const path = [token, bob, other];
  const packed = solidityPacked(["address", "uint24", "address", "uint24", "address"], [token, 500, bob, 3000, other]);
  const backwards = solidityPacked(["address", "uint24", "address"], [other, 500, token]);
  const v3 = (sell, to = alice) => swap("Uniswap V3", router, sell, amount, other, least, to);
  return {
    me, address, list, token, other, alice, bob, router, amount, least, add, raw, text, transfer, transferFrom, approve,
    call, swap, path, packed, backwards, v3,
  };
}

// Tokens and allowances.
function tokens(tools) {
  const { me, token, alice, bob, amount, add, text, transfer, transferFrom, approve, call } = tools;
  add("transfer", "function transfer(address to, uint256 value)", [alice, amount], token, [transfer(token, alice, amount)]);
  add("transfer with coins", "function transfer(address to, uint256 value)", [alice, amount], token,
    [transfer(token, alice, amount), transfer("native", token, 5n)], { value: 5n });
  add("transferFrom another", "function transferFrom(address from, address to, uint256 value)", [bob, alice, amount], token,
    [transferFrom(token, bob, alice, amount)]);
  add("transferFrom oneself", "function transferFrom(address from, address to, uint256 value)", [me, alice, amount], token,
    [transfer(token, alice, amount)]);
  for (const [name, value, unlimited] of [
    ["some", amount, false], ["none", 0n, false], ["all", MAX, true], ["half of all", 2n ** 255n, true],
    ["a little less than half of all", 2n ** 255n - 1n, true],
  ]) {
    add(`approve ${name}`, "function approve(address spender, uint256 value)", [bob, value], token,
      [approve(token, bob, value, unlimited)]);
  }
  add("increaseAllowance", "function increaseAllowance(address spender, uint256 addedValue)", [bob, amount], token,
    [approve(token, bob, amount, false), call(token, 0n, "increaseAllowance(address,uint256)", [bob, text(amount)])]);
  add("decreaseAllowance", "function decreaseAllowance(address spender, uint256 subtractedValue)", [bob, amount], token,
    [call(token, 0n, "decreaseAllowance(address,uint256)", [bob, text(amount)])]);
  const permit = "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)";
  add("permit of one's own", permit, [me, bob, MAX, DEADLINE, 27, WORD, WORD], token, [approve(token, bob, MAX, true)]);
  add("permit of another's", permit, [alice, bob, 9n, DEADLINE, 27, WORD, WORD], token,
    [call(token, 0n, "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", [alice, bob, "9", text(DEADLINE), "27", WORD, WORD])]);
  const dai = "function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)";
  add("permit of all", dai, [me, bob, 3n, DEADLINE, true, 28, WORD, WORD], token, [approve(token, bob, MAX, true)]);
  add("permit of nothing", dai, [me, bob, 3n, DEADLINE, false, 28, WORD, WORD], token, [approve(token, bob, 0n, false)]);
}

// Pieces of collections.
function items(tools) {
  const { me, token, alice, bob, add, text, transfer, transferFrom } = tools;
  const item = (id) => ({ collection: token, id: text(id) });
  add("ERC-721 safeTransferFrom", "function safeTransferFrom(address from, address to, uint256 tokenId)", [me, alice, 77n], token,
    [transfer(item(77n), alice, 1n)]);
  add("ERC-721 safeTransferFrom with data", "function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)",
    [bob, alice, MAX, "0x1234"], token, [transferFrom(item(MAX), bob, alice, 1n)]);
  add("ERC-1155 safeTransferFrom", "function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
    [me, alice, 5n, 12n, "0x"], token, [transfer(item(5n), alice, 12n)]);
  add("ERC-1155 safeBatchTransferFrom",
    "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
    [me, alice, [5n, 6n], [1n, 2n], "0x"], token, [transfer(item(5n), alice, 1n), transfer(item(6n), alice, 2n)]);
  for (const approved of [true, false]) {
    add(`setApprovalForAll ${approved}`, "function setApprovalForAll(address operator, bool approved)", [bob, approved], token,
      [{ approve_all: { collection: token, operator: bob, approved } }]);
  }
}

// Permit2, and wrapped coins.
function permit2(tools) {
  const { me, token, other, alice, bob, amount, add, text, transfer, transferFrom, approve, call } = tools;
  add("Permit2 approve", "function approve(address token, address spender, uint160 amount, uint48 expiration)",
    [token, bob, amount, DEADLINE], PERMIT2, [approve(token, bob, amount, false)]);
  add("Permit2 approve all", "function approve(address token, address spender, uint160 amount, uint48 expiration)",
    [token, bob, MAX160, DEADLINE], PERMIT2, [approve(token, bob, MAX160, true)]);
  add("Permit2 permit",
    `function permit(address owner, tuple(${details} details, address spender, uint256 sigDeadline) permitSingle, bytes signature)`,
    [me, [[token, MAX160, DEADLINE, 1n], bob, DEADLINE], "0x12"], PERMIT2, [approve(token, bob, MAX160, true)]);
  add("Permit2 permit of two",
    `function permit(address owner, tuple(${details}[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)`,
    [me, [[[token, 4n, DEADLINE, 1n], [other, MAX160, DEADLINE, 2n]], bob, DEADLINE], "0x12"], PERMIT2,
    [approve(token, bob, 4n, false), approve(other, bob, MAX160, true)]);
  add("Permit2 transferFrom", "function transferFrom(address from, address to, uint160 amount, address token)",
    [bob, alice, amount, token], PERMIT2, [transferFrom(token, bob, alice, amount)]);
  add("Permit2 transferFrom of two",
    "function transferFrom(tuple(address from, address to, uint160 amount, address token)[] transferDetails)",
    [[[bob, alice, 1n, token], [me, alice, 2n, other]]], PERMIT2,
    [transferFrom(token, bob, alice, 1n), transfer(other, alice, 2n)]);
  add("Permit2 permitTransferFrom",
    "function permitTransferFrom(tuple(tuple(address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, tuple(address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)",
    [[[token, MAX], 1n, DEADLINE], [alice, amount], bob, "0x12"], PERMIT2, [transferFrom(token, bob, alice, amount)]);

  // Wrapped coins.
  add("WETH deposit", "function deposit()", [], token, [call(token, amount, "deposit()", [])], { value: amount });
  add("WETH withdraw", "function withdraw(uint256 wad)", [amount], token, [call(token, 0n, "withdraw(uint256)", [text(amount)])]);
}

// Uniswap V2 and its copies.
function uniswapV2(tools) {
  const { token, other, alice, router, amount, least, add, swap, path } = tools;
  const v2 = (sell, given, buy, minimum = least) => [swap("Uniswap V2", router, sell, given, buy, minimum, alice)];
  for (const suffix of ["", "SupportingFeeOnTransferTokens"]) {
    add(`swapExactTokensForTokens${suffix}`,
      `function swapExactTokensForTokens${suffix}(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [amount, least, path, alice, DEADLINE], router, v2(token, amount, other));
    add(`swapExactETHForTokens${suffix}`,
      `function swapExactETHForTokens${suffix}(uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [least, path, alice, DEADLINE], router, v2("native", amount, other), { value: amount });
    add(`swapExactTokensForETH${suffix}`,
      `function swapExactTokensForETH${suffix}(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [amount, least, path, alice, DEADLINE], router, v2(token, amount, "ETH"));
  }
  add("swapTokensForExactTokens",
    "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    [least, amount, path, alice, DEADLINE], router, v2(token, amount, other));
  add("swapETHForExactTokens", "function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)",
    [least, path, alice, DEADLINE], router, v2("native", amount, other), { value: amount });
  add("swapTokensForExactETH",
    "function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    [least, amount, path, alice, DEADLINE], router, v2(token, amount, "ETH"));
  add("swapExactTokensForTokens without deadline",
    "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)",
    [amount, least, path, alice], router, v2(token, amount, other));
  add("swapTokensForExactTokens without deadline",
    "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)",
    [least, amount, path, alice], router, v2(token, amount, other));
}

// Uniswap V3, one call and several in one.
function uniswapV3(tools) {
  const { me, token, other, alice, router, amount, least, add, text, transfer, call, packed, backwards, v3 } = tools;
  const single = (deadline, first, second) =>
    `tuple(address tokenIn, address tokenOut, uint24 fee, address recipient, ${deadline}uint256 ${first}, uint256 ${second}, uint160 sqrtPriceLimitX96) params`;
  const exactInputSingle = `function exactInputSingle(${single("", "amountIn", "amountOutMinimum")})`;
  for (const [suffix, deadline, time] of [["", "uint256 deadline, ", [DEADLINE]], [" without deadline", "", []]]) {
    add(`exactInputSingle${suffix}`, `function exactInputSingle(${single(deadline, "amountIn", "amountOutMinimum")})`,
      [[token, other, 500, alice, ...time, amount, least, 0]], router, [v3(token)]);
    add(`exactOutputSingle${suffix}`, `function exactOutputSingle(${single(deadline, "amountOut", "amountInMaximum")})`,
      [[token, other, 500, alice, ...time, least, amount, 0]], router, [v3(token)]);
    add(`exactInput${suffix}`,
      `function exactInput(tuple(bytes path, address recipient, ${deadline}uint256 amountIn, uint256 amountOutMinimum) params)`,
      [[packed, alice, ...time, amount, least]], router, [v3(token)]);
    add(`exactOutput${suffix}`,
      `function exactOutput(tuple(bytes path, address recipient, ${deadline}uint256 amountOut, uint256 amountInMaximum) params)`,
      [[backwards, alice, ...time, least, amount]], router, [v3(token)]);
  }
  add("exactInputSingle with coins", exactInputSingle, [[token, other, 500, alice, amount, least, 0]], router, [v3("native")],
    { value: amount });
  add("exactInputSingle with more coins than it sells", exactInputSingle, [[token, other, 500, alice, amount, least, 0]], router,
    [v3(token), transfer("native", router, amount + 1n)], { value: amount + 1n });

  // Several calls in one.
  const first = inner(exactInputSingle, [[token, other, 500, `${ZERO.slice(0, -1)}2`, amount, least, 0]]);
  const unwrap = inner("function unwrapWETH9(uint256 amountMinimum, address recipient)", [least, alice]);
  const both = [v3(token, router), call(router, 0n, "unwrapWETH9(uint256,address)", [text(least), alice])];
  add("multicall", "function multicall(bytes[] data)", [[first, unwrap]], router, both);
  add("multicall until", "function multicall(uint256 deadline, bytes[] data)", [DEADLINE, [first, unwrap]], router, both);
  add("multicall after", "function multicall(bytes32 previousBlockhash, bytes[] data)", [WORD, [first, unwrap]], router, both);
  const refund = inner("function refundETH()", []);
  const forMe = inner(exactInputSingle, [[token, other, 500, `${ZERO.slice(0, -1)}1`, amount, least, 0]]);
  const refunded = call(router, 0n, "refundETH()", []);
  add("multicall with coins", "function multicall(bytes[] data)", [[forMe, refund]], router, [v3("native", me), refunded],
    { value: amount });
  add("multicall with more coins than it sells", "function multicall(bytes[] data)", [[forMe, refund]], router,
    [v3(token, me), refunded, transfer("native", router, amount + 3n)], { value: amount + 3n });
  add("multicall with something unknown", "function multicall(bytes[] data)", [["0x0badf00d00"]], router,
    [{ call: { contract: router, value: "0", selector: "0x0badf00d", bytes: 5 } }]);
  let deep = first;
  for (let depth = 0; depth < 4; depth++) deep = inner("function multicall(bytes[] data)", [[deep]]);
  const end = inner("function multicall(bytes[] data)", [[first]]);
  add("multicall too deep", "function multicall(bytes[] data)", [[deep]], router,
    [call(router, 0n, "multicall(bytes[])", [`[${shown(end)}]`])]);
  for (const [name, signature, values, args] of [
    ["unwrapWETH9", "function unwrapWETH9(uint256 amountMinimum, address recipient)", [least, alice], [text(least), alice]],
    ["unwrapWETH9 to oneself", "function unwrapWETH9(uint256 amountMinimum)", [least], [text(least)]],
    ["sweepToken", "function sweepToken(address token, uint256 amountMinimum, address recipient)", [token, 1n, alice], [token, "1", alice]],
    ["sweepToken to oneself", "function sweepToken(address token, uint256 amountMinimum)", [token, 1n], [token, "1"]],
    ["refundETH", "function refundETH()", [], []],
    ["wrapETH", "function wrapETH(uint256 value)", [least], [text(least)]],
  ]) {
    const types = signature.replace("function ", "").replace(/ \w+(?=[,)])/g, "").replaceAll(" ", "");
    add(name, signature, values, router, [call(router, 0n, types, args)]);
  }
}

// The Universal Router's programs.
function universalRouter(tools) {
  const {
    me, token, other, alice, router, amount, least, add,
    text, transfer, approve, call, swap, path, packed, backwards, v3,
  } = tools;
  const coder = AbiCoder.defaultAbiCoder();
  const step = (types, values) => coder.encode(types, values);
  const user = `${ZERO.slice(0, -1)}1`;
  const exactIn = step(["address", "uint256", "uint256", "bytes", "bool"], [user, amount, least, packed, true]);
  const exactOut = step(["address", "uint256", "uint256", "bytes", "bool"], [alice, least, amount, backwards, false]);
  const v2In = step(["address", "uint256", "uint256", "address[]", "bool"], [alice, amount, least, path, true]);
  const permitStep = step([`tuple(${details} details, address spender, uint256 sigDeadline)`, "bytes"],
    [[[token, MAX160, DEADLINE, 0n], router, DEADLINE], "0x12"]);
  const execute = "function execute(bytes commands, bytes[] inputs)";
  add("execute", `${execute.slice(0, -1)}, uint256 deadline)`, ["0x0a00", [permitStep, exactIn], DEADLINE], router,
    [approve(token, router, MAX160, true), v3(token, me)]);
  add("execute both versions", execute, ["0x088109", [v2In, exactOut, v2In]], router, [
    swap("Uniswap V2", router, token, amount, other, least, alice), v3(token, alice),
    swap("Uniswap V2", router, token, least, other, amount, alice),
  ]);
  add("execute with coins", execute, ["0x0b00", [step(["address", "uint256"], [`${ZERO.slice(0, -1)}2`, amount]), exactIn]], router,
    [{ other: { name: "WRAP_ETH", fields: [`${ZERO.slice(0, -1)}2`, text(amount)] } }, v3("native", me)], { value: amount });
  add("execute the rest", execute, ["0x020405060c10", [
    step(["address", "address", "uint160"], [token, alice, 5n]), step(["address", "address", "uint256"], [token, alice, 6n]),
    step(["address", "address", "uint256"], [token, alice, 7n]), step(["address", "address", "uint256"], [token, alice, 8n]),
    step(["address", "uint256"], [alice, 9n]), "0x1234",
  ]], router, [
    transfer(token, alice, 5n), { other: { name: "SWEEP", fields: [token, alice, "6"] } },
    { other: { name: "TRANSFER", fields: [token, alice, "7"] } }, { other: { name: "PAY_PORTION", fields: [token, alice, "8"] } },
    { other: { name: "UNWRAP_WETH", fields: [alice, "9"] } }, { unknown: { what: "Universal Router command 0x10", bytes: 2 } },
  ]);
  add("execute with too few inputs", execute, ["0x0000", [exactIn]], router,
    [call(router, 0n, "execute(bytes,bytes[])", ["0x0000", `[${shown(exactIn)}]`])]);
}

// 1inch and KyberSwap.
function aggregators(tools) {
  const { token, other, alice, bob, router, amount, least, add, text, swap, address } = tools;
  const description = "tuple(address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags) desc";
  const oneInch = (sell, buy, to, given = amount) => [swap("1inch", router, sell, given, buy, least, to)];
  add("1inch v5 swap", `function swap(address executor, ${description}, bytes permit, bytes data)`,
    [bob, [token, NATIVE, bob, alice, amount, least, 4n], "0x", "0x1234"], router, oneInch(token, "ETH", alice));
  add("1inch v6 swap", `function swap(address executor, ${description}, bytes data)`,
    [bob, [NATIVE, other, bob, ZERO, amount, least, 4n], "0x1234"], router, oneInch("native", other, null), { value: amount });
  const pool = BigInt(address("a pool")) + (3n << 253n);
  const flagged = (text) => BigInt(text) + (1n << 200n);
  add("1inch v5 unoswap", "function unoswap(address srcToken, uint256 amount, uint256 minReturn, uint256[] pools)",
    [token, amount, least, [pool]], router, oneInch(token, null, null));
  add("1inch v5 unoswapTo",
    "function unoswapTo(address recipient, address srcToken, uint256 amount, uint256 minReturn, uint256[] pools)",
    [alice, token, amount, least, [pool]], router, oneInch(token, null, alice));
  for (const [count, dexes] of [["", "uint256 dex"], ["2", "uint256 dex, uint256 dex2"], ["3", "uint256 dex, uint256 dex2, uint256 dex3"]]) {
    const pools = dexes.split(",").map(() => pool);
    add(`1inch v6 unoswap${count}`, `function unoswap${count}(uint256 token, uint256 amount, uint256 minReturn, ${dexes})`,
      [flagged(token), amount, least, ...pools], router, oneInch(token, null, null));
    add(`1inch v6 unoswapTo${count}`, `function unoswapTo${count}(uint256 to, uint256 token, uint256 amount, uint256 minReturn, ${dexes})`,
      [flagged(alice), BigInt(token), amount, least, ...pools], router, oneInch(token, null, alice));
    add(`1inch v6 ethUnoswap${count}`, `function ethUnoswap${count}(uint256 minReturn, ${dexes})`, [least, ...pools], router,
      oneInch("native", null, null), { value: amount });
  }
  add("1inch v6 ethUnoswapTo", "function ethUnoswapTo(uint256 to, uint256 minReturn, uint256 dex)", [BigInt(alice), least, pool],
    router, oneInch("native", null, alice), { value: amount });

  // KyberSwap.
  const kyber = "tuple(address srcToken, address dstToken, address[] srcReceivers, uint256[] srcAmounts, address[] feeReceivers, uint256[] feeAmounts, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags, bytes permit) desc";
  const kyberValues = [token, NATIVE, [bob], [amount], [bob], [1n], alice, amount, least, 0n, "0x"];
  const kyberSwap = [swap("KyberSwap", router, token, amount, "ETH", least, alice)];
  add("KyberSwap swap", `function swap(tuple(address callTarget, address approveTarget, bytes targetData, ${kyber}, bytes clientData) execution)`,
    [[bob, ZERO, "0x1234", kyberValues, "0x"]], router, kyberSwap);
  add("KyberSwap swapSimpleMode", `function swapSimpleMode(address caller, ${kyber}, bytes executorData, bytes clientData)`,
    [bob, kyberValues, "0x1234", "0x"], router, kyberSwap);
}

// LI.FI.
function bridges(tools) {
  const { token, other, alice, bob, amount, least, add, transfer, swap } = tools;
  const data = "tuple(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)";
  const start = "bytes32 _transactionId, string _integrator, string _referrer, address _receiver, uint256 _minAmountOut";
  const head = [WORD, "an integrator", "a referrer", alice, least];
  const hop = (sell, buy, given) => [bob, bob, sell, buy, given, "0x1234", true];
  const lifi = (sell, buy, to = alice, minimum = least, given = amount) => swap("LI.FI", LIFI, sell, given, buy, minimum, to);
  const kinds = [["ERC20ToERC20", token, other, token, other], ["ERC20ToNative", token, ZERO, token, "ETH"], ["NativeToERC20", ZERO, other, "native", other]];
  for (const [kind, from, to, sell, buy] of kinds) {
    const more = sell === "native" ? { value: amount } : {};
    add(`LI.FI single ${kind}`, `function swapTokensSingleV3${kind}(${start}, ${data} _swapData)`,
      [...head, hop(from, to, amount)], LIFI, [lifi(sell, buy)], more);
    add(`LI.FI multiple ${kind}`, `function swapTokensMultipleV3${kind}(${start}, ${data}[] _swapData)`,
      [...head, [hop(from, bob, amount), hop(bob, to, 4n)]], LIFI, [lifi(sell, buy)], more);
  }
  add("LI.FI generic", `function swapTokensGeneric(${start}, ${data}[] _swapData)`, [...head, [hop(token, other, amount)]], LIFI,
    [lifi(token, other)]);
  const bridge = "tuple(bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) _bridgeData";
  const bridged = (asset, to, chain, swaps) => [WORD, "a bridge", "an integrator", ZERO, asset, to, 11n, chain, swaps, false];
  const relay = "tuple(bytes32 requestId, bytes32 nonEVMReceiver, bytes32 receivingAssetId, bytes signature) _relayData";
  const gasZip = "tuple(bytes32 receiverAddress, uint256 destinationChains) _gasZipData";
  for (const [name, struct, values] of [["Relay", relay, [WORD, WORD, WORD, "0x12"]], ["GasZip", gasZip, [WORD, 7n]]]) {
    add(`LI.FI over ${name}`, `function startBridgeTokensVia${name}(${bridge}, ${struct})`,
      [bridged(token, alice, 8453n, false), values], LIFI, [lifi(token, "on Base", alice, null, 11n)]);
    add(`LI.FI over ${name} after a swap`, `function swapAndStartBridgeTokensVia${name}(${bridge}, ${data}[] _swapData, ${struct})`,
      [bridged(other, "0x11f111f111f111F111f111f111F111f111f111F1", 1151111081099710n, true), [hop(ZERO, other, amount)], values], LIFI,
      [lifi("native", "on chain 1151111081099710", null, null), transfer("native", LIFI, 8n)], { value: amount + 8n });
  }
}

// THORChain and MAYAChain.
function deposits(tools) {
  const { token, bob, router, amount, add, text, call, swap } = tools;
  const vault = { other: { name: "deposit", fields: [bob] } };
  const thor = (provider, sell, buy, to, minimum) => [swap(provider, router, sell, amount, buy, minimum, to), vault];
  const expiring = "function depositWithExpiry(address vault, address asset, uint256 amount, string memo, uint256 expiration)";
  add("THORChain deposit", "function deposit(address vault, address asset, uint256 amount, string memo)",
    [bob, token, amount, "SWAP:BTC.BTC:bc1qaddress:12345"], router, thor("THORChain", token, "BTC.BTC", "bc1qaddress", 12345n));
  add("THORChain deposit of coins", expiring, [bob, ZERO, 0n, "=:r:thor1address:7/1/0", DEADLINE], router,
    thor("THORChain", "native", "THOR.RUNE", "thor1address", 7n), { value: amount });
  add("MAYAChain deposit", expiring, [bob, token, amount, "=:c:maya1address:7", DEADLINE], router,
    thor("MayaChain", token, "MAYA.CACAO", "maya1address", 7n));
  add("deposit with a memo nobody knows", expiring, [bob, token, 6n, "hello", DEADLINE], router,
    [call(router, 0n, "depositWithExpiry(address,address,uint256,string,uint256)", [bob, token, "6", "hello", text(DEADLINE)])]);
}

// Not calls, or not understood.
function others(tools) {
  const { token, alice, bob, router, amount, raw, text, transfer, approve } = tools;
  raw("coins", alice, amount, "0x", [transfer("native", alice, amount)]);
  const lunch = Buffer.from("for lunch 🍜");
  const letters = { contract: alice, value: text(amount), selector: `0x${lunch.subarray(0, 4).toString("hex")}`, bytes: lunch.length };
  raw("coins with a text", alice, amount, `0x${lunch.toString("hex")}`, [{ call: letters }], lunch.toString());
  raw("a new contract", null, 3n, "0x6000", [{ create: { value: "3", bytes: 2 } }]);
  const unknown = (value, selector, bytes) => [{ call: { contract: token, value: text(value), selector, bytes } }];
  raw("three bytes", token, 0n, "0xffffff", unknown(0n, null, 3));
  raw("a function nobody knows", token, 7n, `0x0badf00d${"00".repeat(32)}`, unknown(7n, "0x0badf00d", 36));
  raw("transfer, cut short", token, 0n, `0xa9059cbb${"00".repeat(63)}`, unknown(0n, "0xa9059cbb", 67));
  raw("transfer to more than an address", token, 0n, `0xa9059cbb01${"00".repeat(63)}`, unknown(0n, "0xa9059cbb", 68));
  raw("approve with something behind it", token, 0n, `${inner("function approve(address spender, uint256 value)", [bob, MAX])}abcd`,
    [approve(token, bob, MAX, true)]);
  raw("a truth of two", token, 0n, `0xa22cb465${"00".repeat(63)}02`, unknown(0n, "0xa22cb465", 68));
  raw("an offset beyond the end", router, 0n, `0xac9650d8${"ff".repeat(32)}`, [{ call: { contract: router, value: "0", selector: "0xac9650d8", bytes: 36 } }]);
  const forever = `0xac9650d8${"00".repeat(31)}20${"ff".repeat(32)}`;
  raw("more calls than bytes", router, 0n, forever, [{ call: { contract: router, value: "0", selector: "0xac9650d8", bytes: 68 } }]);
}

// Bytes as they are shown: of more than 64 the beginning.
function shown(text) {
  const length = (text.length - 2) / 2;
  return length > 64 ? `${text.slice(0, 130)}… (${length} bytes)` : text;
}
