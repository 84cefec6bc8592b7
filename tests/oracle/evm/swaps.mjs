// Aggregators, and exchanges that are called directly.
import { DEADLINE, MAX, NATIVE, WETH, WORD, ZERO, types } from "./common.mjs";

const ONE_INCH_5 = "0x1111111254EEB25477B68fb85Ed929f73A960582";
const ONE_INCH_6 = "0x111111125421cA6dc452d289314280a0f8842A65";
const PARASWAP_5 = "0xDEF171Fe48CF0115B1d80b88dc8eAB59176FEe57";
const PARASWAP_6 = "0x6A000F20005980200259B80c5102003040001068";
const ZERO_EX = "0xDef1C0ded9bec7F1a1670819833240f027b25EfF";
const HOLDER = "0x0000000000001fF3684f28c67538d4D072C22734";
const KYBER = "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5";
const COW = "0x9008D19f58AAbD9eD0D60971565AA8510560ab41";
const ETH_FLOW = "0xbA3cB449bD2B4ADddBc894D8697F5170800EAdeC";
const CURVE = "0xF0d4c12A5768D806021F80a262B4d39d26C58b8D";
const BALANCER_2 = "0xBA12222222228d8Ba445958a75a0704d566BF2C8";
const BALANCER_3 = "0x5C6fb490BDFD3246EB0bB062c168DeCAF4bD9FDd";
const BATCH = "0x136f1EFcC3f8f88516B9E94110D56FDBfB1778d1";
const LIFI = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";

export function swaps(tools) {
  [oneInch, paraSwap, zeroEx, kyber, cow, curve, balancer, lifi].forEach((group) => group(tools));
}

function oneInch(tools) {
  const { me, address, token, other, alice, bob, amount, least, add, call, swap } = tools;
  const done = (at, sell, buy, recipient = alice) => swap("1inch", at, sell, amount, buy, least, recipient);
  const description = "tuple(address srcToken, address dstToken, address srcReceiver, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags) desc";
  const fifth = `function swap(address executor, ${description}, bytes permit, bytes data)`;
  add("1inch v5 swap", fifth, [bob, [token, NATIVE, bob, alice, amount, least, 4n], "0x", "0x1234"], ONE_INCH_5,
    [done(ONE_INCH_5, token, "native")]);
  add("1inch v5 swap with a permit", fifth, [bob, [token, NATIVE, bob, alice, amount, least, 4n], "0x12", "0x1234"], ONE_INCH_5,
    [done(ONE_INCH_5, token, "native"), call(ONE_INCH_5, 0n, types(fifth))]);
  const sixth = `function swap(address executor, ${description}, bytes data)`;
  add("1inch v6 swap", sixth, [bob, [NATIVE, other, bob, ZERO, amount, least, 4n], "0x1234"], ONE_INCH_6,
    [done(ONE_INCH_6, "native", other, me)], { value: amount });
  add("1inch v6 swap with more coins", sixth, [bob, [NATIVE, other, bob, ZERO, amount, least, 2n], "0x1234"], ONE_INCH_6,
    [done(ONE_INCH_6, "native", other, me), call(ONE_INCH_6, 2n, types(sixth))], { value: amount + 2n });
  add("1inch v6 swap with fewer coins", sixth, [bob, [NATIVE, other, bob, ZERO, amount, least, 2n], "0x1234"], ONE_INCH_6,
    [done(ONE_INCH_6, "native", other, me), call(ONE_INCH_6, 0n, types(sixth))], { value: amount - 2n });
  add("1inch v6 swap into the router", sixth, [bob, [token, other, bob, ONE_INCH_6, amount, least, 0n], "0x1234"], ONE_INCH_6,
    [done(ONE_INCH_6, token, other, ONE_INCH_6), call(ONE_INCH_6, 0n, types(sixth))]);
  // What the pools pay out is not in the call.
  const pool = BigInt(address("a pool")) + (3n << 253n);
  const flagged = (text) => BigInt(text) + (1n << 200n);
  const over = (name, signature, values, at, sell, recipient, more) =>
    add(name, signature, values, at, [done(at, sell, null, recipient), call(at, 0n, types(signature))], more);
  over("1inch v5 unoswap", "function unoswap(address srcToken, uint256 amount, uint256 minReturn, uint256[] pools)",
    [token, amount, least, [pool]], ONE_INCH_5, token, me);
  over("1inch v5 unoswapTo",
    "function unoswapTo(address recipient, address srcToken, uint256 amount, uint256 minReturn, uint256[] pools)",
    [alice, token, amount, least, [pool]], ONE_INCH_5, token, alice);
  const v3 = "function uniswapV3Swap(uint256 amount, uint256 minReturn, uint256[] pools)";
  add("1inch v5 uniswapV3Swap", v3, [amount, least, [pool]], ONE_INCH_5, [call(ONE_INCH_5, 0n, types(v3))]);
  for (const [count, dexes] of [["", "uint256 dex"], ["2", "uint256 dex, uint256 dex2"], ["3", "uint256 dex, uint256 dex2, uint256 dex3"]]) {
    const pools = dexes.split(",").map(() => pool);
    over(`1inch v6 unoswap${count}`, `function unoswap${count}(uint256 token, uint256 amount, uint256 minReturn, ${dexes})`,
      [flagged(token), amount, least, ...pools], ONE_INCH_6, token, me);
    over(`1inch v6 unoswapTo${count}`, `function unoswapTo${count}(uint256 to, uint256 token, uint256 amount, uint256 minReturn, ${dexes})`,
      [flagged(alice), BigInt(token), amount, least, ...pools], ONE_INCH_6, token, alice);
    over(`1inch v6 ethUnoswap${count}`, `function ethUnoswap${count}(uint256 minReturn, ${dexes})`, [least, ...pools], ONE_INCH_6,
      "native", me, { value: amount });
  }
  over("1inch v6 ethUnoswapTo", "function ethUnoswapTo(uint256 to, uint256 minReturn, uint256 dex)", [BigInt(alice), least, pool],
    ONE_INCH_6, "native", alice, { value: amount });
}

function paraSwap(tools) {
  const { me, token, other, alice, bob, amount, add, call, swap, party } = tools;
  const done = (at, sell, buy, minimum, recipient = me) => swap("ParaSwap", at, sell, amount, buy, minimum, recipient);
  const simple = "function simpleSwap(tuple(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, uint256 expectedAmount, address[] callees, bytes exchangeData, uint256[] startIndexes, uint256[] values, address beneficiary, address partner, uint256 feePercent, bytes permit, uint256 deadline, bytes16 uuid) data)";
  const uuid = WORD.slice(0, 34);
  const values = (partner, fee) => [[token, NATIVE, amount, 10_000n, 10_100n, [bob], "0x12", [0n, 1n], [0n], ZERO, partner, fee, "0x", DEADLINE, uuid]];
  add("ParaSwap v5 simpleSwap", simple, values(ZERO, 0n), PARASWAP_5, [done(PARASWAP_5, token, "native", 10_000n)]);
  for (const [version, fee] of [["", 100n], [" of the first version", (1n << 248n) + (1n << 16n) + 100n]]) {
    add(`ParaSwap v5 simpleSwap with a partner's fee${version}`, simple, values(bob, fee), PARASWAP_5,
      [done(PARASWAP_5, token, "native", 9_900n)], { parties: [party(bob, "fee_payee")] });
  }
  add("ParaSwap v5 multiSwap",
    "function multiSwap(tuple(address fromToken, uint256 fromAmount, uint256 toAmount, uint256 expectedAmount, address beneficiary, tuple(address to, uint256 totalNetworkFee, tuple(address adapter, uint256 percent, uint256 networkFee, tuple(uint256 index, address targetExchange, uint256 percent, bytes payload, uint256 networkFee)[] route)[] adapters)[] path, address partner, uint256 feePercent, bytes permit, uint256 deadline, bytes16 uuid) data)",
    [[token, amount, 50n, 40n, alice, [[bob, 0n, []], [other, 0n, [[bob, 10_000n, 0n, [[1n, bob, 10_000n, "0x", 0n]]]]]], ZERO, 0n, "0x", DEADLINE, uuid]],
    PARASWAP_5, [done(PARASWAP_5, token, other, 40n, alice)]);
  const data = "address srcToken, address destToken, uint256 fromAmount, uint256 toAmount, uint256 quotedAmount, bytes32 metadata, address beneficiary";
  const packed = (BigInt(bob) << 96n) + (1n << 95n) + 150n;
  const exactIn = `function swapExactAmountIn(address executor, tuple(${data}) swapData, uint256 partnerAndFee, bytes permit, bytes executorData)`;
  const asked = [token, other, amount, 10_000n, 10_100n, WORD, ZERO];
  add("ParaSwap v6 swapExactAmountIn", exactIn, [bob, asked, packed, "0x", "0x12"], PARASWAP_6,
    [done(PARASWAP_6, token, other, 9_849n)], { parties: [party(bob, "fee_payee")] });
  add("ParaSwap v6 swapExactAmountIn with an absurd fee", exactIn, [bob, asked, packed + 10_000n, "0x", "0x12"], PARASWAP_6,
    [done(PARASWAP_6, token, other, 9_799n)], { parties: [party(bob, "fee_payee")] });
  add("ParaSwap v6 swapExactAmountIn with a low quote", exactIn, [bob, [token, other, amount, 10_000n, 5n, WORD, alice], 0n, "0x", "0x12"], PARASWAP_6,
    [done(PARASWAP_6, token, other, 4n, alice)]);
  add("ParaSwap v6 swapExactAmountIn with a permit", exactIn, [bob, asked, 0n, "0x12", "0x12"], PARASWAP_6,
    [done(PARASWAP_6, token, other, 9_999n), call(PARASWAP_6, 0n, types(exactIn))]);
  for (const version of ["V2", "V3"]) {
    add(`ParaSwap v6 over Uniswap ${version}`, `function swapExactAmountInOnUniswap${version}(tuple(${data}, bytes pools) uniData, uint256 partnerAndFee, bytes permit)`,
      [[...asked, "0x1234"], 0n, "0x"], PARASWAP_6, [done(PARASWAP_6, token, other, 9_999n)]);
  }
  add("ParaSwap v6 over Curve V1", `function swapExactAmountInOnCurveV1(tuple(uint256 curveData, uint256 curveAssets, ${data}) curveV1Data, uint256 partnerAndFee, bytes permit)`,
    [[1n, 2n, ...asked], 0n, "0x"], PARASWAP_6, [done(PARASWAP_6, token, other, 9_999n)]);
  add("ParaSwap v6 over Curve V2", `function swapExactAmountInOnCurveV2(tuple(uint256 curveData, uint256 i, uint256 j, address poolAddress, ${data}) curveV2Data, uint256 partnerAndFee, bytes permit)`,
    [[1n, 0n, 1n, bob, ...asked], 0n, "0x"], PARASWAP_6, [done(PARASWAP_6, token, other, 9_999n)]);
}

function zeroEx(tools) {
  const { me, token, other, alice, bob, amount, least, add, approve, call, swap, party, packed } = tools;
  const done = (sell, buy, recipient = me, given = amount) => swap("0x", ZERO_EX, sell, given, buy, least, recipient);
  const transform = "function transformERC20(address inputToken, address outputToken, uint256 inputTokenAmount, uint256 minOutputTokenAmount, tuple(uint32 deploymentNonce, bytes data)[] transformations)";
  add("0x transformERC20", transform, [token, NATIVE, amount, least, [[3, "0x12"]]], ZERO_EX, [done(token, "native")]);
  add("0x transformERC20 of coins", transform, [NATIVE, other, amount, least, [[3, "0x12"]]], ZERO_EX, [done("native", other)], { value: amount });
  add("0x transformERC20 of all", transform, [token, NATIVE, MAX, least, [[3, "0x12"]]], ZERO_EX,
    [done(token, "native", me, MAX), call(ZERO_EX, 0n, types(transform))]);
  add("0x sellToUniswap", "function sellToUniswap(address[] tokens, uint256 sellAmount, uint256 minBuyAmount, bool isSushi)",
    [[token, bob, NATIVE], amount, least, false], ZERO_EX, [done(token, "native")]);
  add("0x sellTokenForTokenToUniswapV3",
    "function sellTokenForTokenToUniswapV3(bytes encodedPath, uint256 sellAmount, uint256 minBuyAmount, address recipient)",
    [packed, amount, least, ZERO], ZERO_EX, [done(token, other)]);
  const [from, to] = [`${WETH}0001f4${other.slice(2)}`, `${token}0001f4${WETH.slice(2)}`];
  const coins = "function sellEthForTokenToUniswapV3(bytes encodedPath, uint256 minBuyAmount, address recipient)";
  add("0x sellEthForTokenToUniswapV3", coins, [from, least, alice], ZERO_EX, [done("native", other, alice)], { value: amount });
  add("0x sellEthForTokenToUniswapV3 of a token", coins, [to, least, alice], ZERO_EX, [call(ZERO_EX, amount, types(coins))], { value: amount });
  add("0x sellTokenForEthToUniswapV3",
    "function sellTokenForEthToUniswapV3(bytes encodedPath, uint256 sellAmount, uint256 minBuyAmount, address recipient)",
    [to, amount, least, alice], ZERO_EX, [done(token, "native", alice)]);
  const exec = "function exec(address operator, address token, uint256 amount, address target, bytes data)";
  add("0x AllowanceHolder", exec, [bob, token, amount, alice, "0x1fff991f"], HOLDER,
    [approve(token, bob, amount, false), call(HOLDER, 0n, types(exec))], { parties: [party(alice, "contract")] });
  add("0x AllowanceHolder with coins", exec, [bob, ZERO, 0n, alice, "0x1fff991f"], HOLDER, [call(HOLDER, amount, types(exec))],
    { value: amount, parties: [party(alice, "contract")] });
}

function kyber(tools) {
  const { me, token, alice, bob, amount, least, add, swap, call, party } = tools;
  const description = "tuple(address srcToken, address dstToken, address[] srcReceivers, uint256[] srcAmounts, address[] feeReceivers, uint256[] feeAmounts, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags, bytes permit) desc";
  const values = (to, permit = "0x") => [token, NATIVE, [bob], [amount], [bob], [1n], to, amount, least, 0n, permit];
  const done = (to) => swap("KyberSwap", KYBER, token, amount, "native", least, to);
  const parties = [party(bob, "fee_payee")];
  const full = `function swap(tuple(address callTarget, address approveTarget, bytes targetData, ${description}, bytes clientData) execution)`;
  add("KyberSwap swap", full, [[bob, ZERO, "0x1234", values(ZERO), "0x"]], KYBER, [done(me)], { parties });
  add("KyberSwap swap with a permit", full, [[bob, ZERO, "0x1234", values(alice, "0x12"), "0x"]], KYBER,
    [done(alice), call(KYBER, 0n, types(full))], { parties });
  add("KyberSwap swapSimpleMode", `function swapSimpleMode(address caller, ${description}, bytes executorData, bytes clientData)`,
    [bob, values(alice), "0x1234", "0x"], KYBER, [done(alice)], { parties });
}

function cow(tools) {
  const { other, alice, amount, least, add, call, swap, note } = tools;
  const uid = `0x${"5a".repeat(56)}`;
  const sign = "function setPreSignature(bytes orderUid, bool signed)";
  add("CoW setPreSignature", sign, [uid, true], COW, [call(COW, 0n, types(sign), [uid, "true"])]);
  add("CoW invalidateOrder", "function invalidateOrder(bytes orderUid)", [uid], COW, [note("CoW Swap: invalidateOrder", [uid])]);
  add("CoW createOrder",
    "function createOrder(tuple(address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, bytes32 appData, uint256 feeAmount, uint32 validTo, bool partiallyFillable, int64 quoteId) order)",
    [[other, alice, amount - 5n, least, WORD, 5n, 1_900_000_000, false, -7n]], ETH_FLOW,
    [swap("CoW Swap", ETH_FLOW, "native", amount, other, least)], { value: amount });
}

function curve(tools) {
  const { me, token, other, alice, bob, amount, least, add, swap, call } = tools;
  const done = (sell, buy, recipient = me) => swap("Curve", CURVE, sell, amount, buy, least, recipient);
  const route = (...places) => [...places, ...Array(11 - places.length).fill(ZERO)];
  const end = Array(5).fill(ZERO);
  for (const width of [4, 5]) {
    const start = `function exchange(address[11] _route, uint256[${width}][5] _swap_params, uint256 _amount, uint256 _min_dy`;
    const params = Array(5).fill(Array(width).fill(1n));
    add(`Curve exchange ${width}`, `${start})`, [route(token, bob, other), params, amount, least], CURVE, [done(token, other)]);
    add(`Curve exchange ${width} with pools`, `${start}, address[5] _pools)`, [route(token, bob, alice, bob, NATIVE), params, amount, least, end], CURVE,
      [done(token, "native")]);
    add(`Curve exchange ${width} for another`, `${start}, address[5] _pools, address _receiver)`,
      [route(NATIVE, bob, other), params, amount, least, end, alice], CURVE, [done("native", other, alice)], { value: amount });
  }
  const start = "function exchange(address[11] _route, uint256[5][5] _swap_params, uint256 _amount, uint256 _min_dy)";
  add("Curve exchange over five pools", start,
    [[token, bob, alice, bob, alice, bob, alice, bob, alice, bob, other], Array(5).fill(Array(5).fill(1n)), amount, least], CURVE, [done(token, other)]);
  add("Curve exchange of coins that do not come", start, [route(NATIVE, bob, other), Array(5).fill(Array(5).fill(1n)), amount, least], CURVE,
    [done("native", other), call(CURVE, 0n, types(start))]);
}

function balancer(tools) {
  const { me, token, other, alice, bob, amount, least, add, change, swap, call } = tools;
  const funds = "tuple(address sender, bool fromInternalBalance, address recipient, bool toInternalBalance) funds";
  const one = `function swap(tuple(bytes32 poolId, uint8 kind, address assetIn, address assetOut, uint256 amount, bytes userData) singleSwap, ${funds}, uint256 limit, uint256 deadline)`;
  const done = (sell, buy, recipient = alice) => swap("Balancer V2", BALANCER_2, sell, amount, buy, least, recipient);
  add("Balancer swap", one, [[WORD, 0, token, ZERO, amount, "0x"], [me, false, alice, false], least, DEADLINE], BALANCER_2, [done(token, "native")]);
  add("Balancer swap for an exact output", one, [[WORD, 1, token, other, least, "0x"], [me, false, alice, false], amount, DEADLINE], BALANCER_2,
    [done(token, other)]);
  add("Balancer swap of coins", one, [[WORD, 0, ZERO, other, amount, "0x"], [me, false, me, false], least, DEADLINE], BALANCER_2,
    [done("native", other, me), change(4n)], { value: amount + 4n });
  add("Balancer swap of another's tokens", one, [[WORD, 0, token, other, amount, "0x"], [bob, false, alice, false], least, DEADLINE], BALANCER_2,
    [call(BALANCER_2, 0n, types(one))]);
  add("Balancer swap to an account inside", one, [[WORD, 0, token, other, amount, "0x"], [me, false, alice, true], least, DEADLINE], BALANCER_2,
    [done(token, other), call(BALANCER_2, 0n, types(one))]);
  const batch = `function batchSwap(uint8 kind, tuple(bytes32 poolId, uint256 assetInIndex, uint256 assetOutIndex, uint256 amount, bytes userData)[] swaps, address[] assets, ${funds}, int256[] limits, uint256 deadline)`;
  const steps = [[WORD, 0n, 1n, amount, "0x"], [WORD, 1n, 2n, 0n, "0x"]];
  const limits = (...limits) => [0, steps, [token, bob, other], [me, false, alice, false], limits, DEADLINE];
  add("Balancer batchSwap", batch, limits(amount, 0n, -least), BALANCER_2, [done(token, other)]);
  for (const [name, given] of [["two are taken", [amount, 1n, -least]], ["nothing is promised", [amount, 0n, 0n]]]) {
    add(`Balancer batchSwap where ${name}`, batch, limits(...given), BALANCER_2, [call(BALANCER_2, 0n, types(batch))]);
  }
  const third = (at, sell, buy, given = amount) => swap("Balancer V3", at, sell, given, buy, least, me);
  const exactIn = "function swapSingleTokenExactIn(address pool, address tokenIn, address tokenOut, uint256 exactAmountIn, uint256 minAmountOut, uint256 deadline, bool wethIsEth, bytes userData)";
  add("Balancer V3 swapSingleTokenExactIn", exactIn, [bob, token, other, amount, least, DEADLINE, false, "0x"], BALANCER_3, [third(BALANCER_3, token, other)]);
  add("Balancer V3 swapSingleTokenExactIn of coins", exactIn, [bob, WETH, other, amount, least, DEADLINE, true, "0x"], BALANCER_3,
    [third(BALANCER_3, "native", other), change(1n)], { value: amount + 1n });
  add("Balancer V3 swapSingleTokenExactIn of wrapped coins", exactIn, [bob, WETH, other, amount, least, DEADLINE, false, "0x"], BALANCER_3,
    [third(BALANCER_3, WETH, other)]);
  add("Balancer V3 swapSingleTokenExactOut",
    "function swapSingleTokenExactOut(address pool, address tokenIn, address tokenOut, uint256 exactAmountOut, uint256 maxAmountIn, uint256 deadline, bool wethIsEth, bytes userData)",
    [bob, token, WETH, least, amount, DEADLINE, true, "0x"], BALANCER_3, [third(BALANCER_3, token, "native")]);
  const hops = "address tokenIn, tuple(address pool, address tokenOut, bool isBuffer)[] steps";
  const paths = (first, second) => [[[token, [[bob, alice, false], [bob, other, false]], first, second], [WETH, [[bob, other, true]], first, second]], DEADLINE, true, "0x"];
  for (const [name, types, first, second] of [
    ["In", "uint256 exactAmountIn, uint256 minAmountOut", amount, least], ["Out", "uint256 maxAmountIn, uint256 exactAmountOut", amount, least],
  ]) {
    add(`Balancer V3 swapExact${name}`, `function swapExact${name}(tuple(${hops}, ${types})[] paths, uint256 deadline, bool wethIsEth, bytes userData)`,
      paths(first, second), BATCH, [third(BATCH, token, other), third(BATCH, "native", other)], { value: amount });
  }
}

// LI.FI on one chain.
function lifi(tools) {
  const { token, other, alice, bob, amount, least, add, swap, call } = tools;
  const data = "tuple(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)";
  const start = "bytes32 _transactionId, string _integrator, string _referrer, address _receiver, uint256 _minAmountOut";
  const head = [WORD, "an integrator", "a referrer", alice, least];
  const hop = (sell, buy, given, deposit = true) => [bob, bob, sell, buy, given, "0x1234", deposit];
  const done = (sell, buy, given = amount) => swap("LI.FI", LIFI, sell, given, buy, least);
  for (const [kind, from, to, sell, buy] of [
    ["ERC20ToERC20", token, other, token, other], ["ERC20ToNative", token, ZERO, token, "native"], ["NativeToERC20", ZERO, other, "native", other],
  ]) {
    const more = sell === "native" ? { value: amount } : {};
    // The swap's own amount of coins is not looked at.
    const given = sell === "native" ? 3n : amount;
    add(`LI.FI single ${kind}`, `function swapTokensSingleV3${kind}(${start}, ${data} _swapData)`,
      [...head, hop(from, to, given)], LIFI, [done(sell, buy)], more);
    add(`LI.FI multiple ${kind}`, `function swapTokensMultipleV3${kind}(${start}, ${data}[] _swapData)`,
      [...head, [hop(from, bob, given), hop(bob, to, 4n, false)]], LIFI, [done(sell, buy)], more);
  }
  const generic = `function swapTokensGeneric(${start}, ${data}[] _swapData)`;
  add("LI.FI generic", generic, [...head, [hop(token, other, amount)]], LIFI, [done(token, other)]);
  add("LI.FI generic in two parts", generic, [...head, [hop(token, other, amount), hop(token, other, 4n)]], LIFI, [done(token, other, amount + 4n)]);
  for (const [name, swaps] of [
    ["takes two assets", [hop(token, other, amount), hop(bob, other, 4n)]], ["takes nothing", [hop(token, other, amount, false)]], ["is empty", []],
  ]) {
    add(`LI.FI generic that ${name}`, generic, [...head, swaps], LIFI, [call(LIFI, 0n, types(generic))]);
  }
}
