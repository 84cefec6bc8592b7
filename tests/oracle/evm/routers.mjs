// Uniswap's routers: single swaps, and the steps that are taken together.
import { solidityPacked } from "ethers";
import { DEADLINE, WETH, WORD, ZERO, details, inner, step, types } from "./common.mjs";

const V2 = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
const FIRST = "0xE592427A0AEce92De3Edee1F18E0157C05861564";
const SECOND = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const UNIVERSAL = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
const MAX160 = 2n ** 160n - 1n;
const constant = (number) => `${ZERO.slice(0, -1)}${number}`;

export function routers(tools) {
  [v2, single, limits, multicall, programs, refused].forEach((group) => group(tools));
}

// Uniswap V2: the call is the swap.
function v2(tools) {
  const { token, other, bob, alice, amount, least, add, call, swap, path } = tools;
  const done = (sell, given, buy) => [swap("Uniswap V2", V2, sell, given, buy, least)];
  const [from, to] = [[WETH, bob, other], [token, bob, WETH]];
  for (const suffix of ["", "SupportingFeeOnTransferTokens"]) {
    add(`swapExactTokensForTokens${suffix}`,
      `function swapExactTokensForTokens${suffix}(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [amount, least, path, alice, DEADLINE], V2, done(token, amount, other));
    add(`swapExactETHForTokens${suffix}`,
      `function swapExactETHForTokens${suffix}(uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [least, from, alice, DEADLINE], V2, done("native", amount, other), { value: amount });
    add(`swapExactTokensForETH${suffix}`,
      `function swapExactTokensForETH${suffix}(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)`,
      [amount, least, to, alice, DEADLINE], V2, done(token, amount, "native"));
  }
  add("swapTokensForExactTokens",
    "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    [least, amount, path, alice, DEADLINE], V2, done(token, amount, other));
  add("swapETHForExactTokens", "function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline)",
    [least, from, alice, DEADLINE], V2, done("native", amount, other), { value: amount });
  add("swapTokensForExactETH",
    "function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    [least, amount, to, alice, DEADLINE], V2, done(token, amount, "native"));
  const exact = "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)";
  for (const short of [[], [token]]) {
    add(`a path of ${short.length} tokens`, exact, [amount, least, short, alice, DEADLINE], V2, [call(V2, 0n, types(exact))]);
  }
  const coins = "function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)";
  add("a path of coins that begins with another token", coins, [least, path, alice, DEADLINE], V2, [call(V2, amount, types(coins))],
    { value: amount });
  add("into the router itself", exact, [amount, least, path, V2, DEADLINE], V2,
    [swap("Uniswap V2", V2, token, amount, other, least, V2), call(V2, 0n, types(exact))]);
  add("without a minimum", exact, [amount, 0n, path, alice, DEADLINE], V2, [swap("Uniswap V2", V2, token, amount, other, 0n)]);
}

const struct = (deadline, first, second) =>
  `tuple(address tokenIn, address tokenOut, uint24 fee, address recipient, ${deadline}uint256 ${first}, uint256 ${second}, uint160 sqrtPriceLimitX96) params`;
const exactInputSingle = `function exactInputSingle(${struct("", "amountIn", "amountOutMinimum")})`;
const exactOutputSingle = `function exactOutputSingle(${struct("", "amountOut", "amountInMaximum")})`;
const firstInputSingle = `function exactInputSingle(${struct("uint256 deadline, ", "amountIn", "amountOutMinimum")})`;

// One swap of Uniswap V3.
function single(tools) {
  const { me, token, other, alice, amount, least, add, call, swap, packed, backwards, path } = tools;
  for (const [suffix, at, name, deadline, time] of [
    ["", FIRST, "Uniswap V3", "uint256 deadline, ", [DEADLINE]], [" without deadline", SECOND, "Uniswap", "", []],
  ]) {
    const done = [swap(name, at, token, amount, other, least)];
    add(`exactInputSingle${suffix}`, `function exactInputSingle(${struct(deadline, "amountIn", "amountOutMinimum")})`,
      [[token, other, 500, alice, ...time, amount, least, 0]], at, done);
    add(`exactOutputSingle${suffix}`, `function exactOutputSingle(${struct(deadline, "amountOut", "amountInMaximum")})`,
      [[token, other, 500, alice, ...time, least, amount, 0]], at, done);
    const input = `function exactInput(tuple(bytes path, address recipient, ${deadline}uint256 amountIn, uint256 amountOutMinimum) params)`;
    add(`exactInput${suffix}`, input, [[packed, alice, ...time, amount, least]], at, done);
    add(`exactInput${suffix} with a byte behind the path`, input, [[`${packed}00`, alice, ...time, amount, least]], at,
      [call(at, 0n, types(input))]);
    add(`exactInput${suffix} with one token`, input, [[token, alice, ...time, amount, least]], at, [call(at, 0n, types(input))]);
    add(`exactOutput${suffix}`,
      `function exactOutput(tuple(bytes path, address recipient, ${deadline}uint256 amountOut, uint256 amountInMaximum) params)`,
      [[backwards, alice, ...time, least, amount]], at, done);
  }
  add("swapExactTokensForTokens without deadline",
    "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)",
    [amount, least, path, alice], SECOND, [swap("Uniswap", SECOND, token, amount, other, least)]);
  add("swapTokensForExactTokens without deadline",
    "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)",
    [least, amount, path, me], SECOND, [swap("Uniswap", SECOND, token, amount, other, least, me)]);
  const left = (at, name, sold = token) => swap(name, at, sold, amount, other, least, at);
  add("recipient 0 of the first router", firstInputSingle, [[token, other, 500, ZERO, DEADLINE, amount, least, 0]], FIRST,
    [left(FIRST, "Uniswap V3"), call(FIRST, 0n, types(firstInputSingle))]);
  add("recipient 2 of the first router", firstInputSingle, [[token, other, 500, constant(2), DEADLINE, amount, least, 0]], FIRST,
    [swap("Uniswap V3", FIRST, token, amount, other, least, constant(2))]);
  add("recipient 0 of the second router", exactInputSingle, [[token, other, 500, ZERO, amount, least, 0]], SECOND,
    [swap("Uniswap", SECOND, token, amount, other, least, ZERO)]);
  add("recipient 1 of the second router", exactInputSingle, [[token, other, 500, constant(1), amount, least, 0]], SECOND,
    [swap("Uniswap", SECOND, token, amount, other, least, me)]);
  add("recipient 2 of the second router", exactInputSingle, [[token, other, 500, constant(2), amount, least, 0]], SECOND,
    [left(SECOND, "Uniswap"), call(SECOND, 0n, types(exactInputSingle))]);
}

// Coins are sold only where the wrapped coin is, and where there are enough of them.
function limits(tools) {
  const { token, other, alice, amount, least, add, call, swap } = tools;
  const done = (sell, recipient = alice, minimum = least) => swap("Uniswap", SECOND, sell, amount, other, minimum, recipient);
  const named = (value, signature) => call(SECOND, value, types(signature));
  add("coins for the wrapped coin", exactInputSingle, [[WETH, other, 500, alice, amount, least, 0]], SECOND, [done("native")],
    { value: amount });
  add("coins with a token that is not the wrapped coin", exactInputSingle, [[token, other, 500, alice, amount, least, 0]], SECOND,
    [done(token), named(amount, exactInputSingle)], { value: amount });
  add("more coins than are sold", exactInputSingle, [[WETH, other, 500, alice, amount, least, 0]], SECOND,
    [done("native"), named(1n, exactInputSingle)], { value: amount + 1n });
  add("fewer coins than are sold", exactInputSingle, [[WETH, other, 500, alice, amount, least, 0]], SECOND,
    [named(amount - 1n, exactInputSingle)], { value: amount - 1n });
  add("coins that are left of an exact output", exactOutputSingle, [[WETH, other, 500, alice, least, amount, 0]], SECOND,
    [done("native"), named(0n, exactOutputSingle)], { value: amount });
  add("coins up to a price", exactInputSingle, [[WETH, other, 500, alice, amount, least, 7n]], SECOND,
    [done("native"), named(0n, exactInputSingle)], { value: amount });
  add("a token up to a price", exactInputSingle, [[token, other, 500, alice, amount, least, 7n]], SECOND, [done(token)]);
  add("an exact output up to a price", exactOutputSingle, [[token, other, 500, alice, least, amount, 7n]], SECOND, [done(token, alice, 0n)]);
}

const calls = "function multicall(bytes[] data)";
const refund = inner("function refundETH()", []);

// Several calls of a router of Uniswap V3 in one.
function multicall(tools) {
  const { me, token, other, alice, bob, amount, least, add, text, approve, change, note, call, swap, party } = tools;
  const done = (sell, buy, minimum, recipient, at = SECOND, name = "Uniswap") => swap(name, at, sell, amount, buy, minimum, recipient);
  const toEth = inner(exactInputSingle, [[token, WETH, 500, constant(2), amount, 0n, 0]]);
  const unwrap = inner("function unwrapWETH9(uint256 amountMinimum, address recipient)", [least, me]);
  const both = [done(token, "native", least, me)];
  add("multicall", calls, [[toEth, unwrap]], SECOND, both);
  add("multicall until", "function multicall(uint256 deadline, bytes[] data)", [DEADLINE, [toEth, unwrap]], SECOND, both);
  add("multicall after", "function multicall(bytes32 previousBlockhash, bytes[] data)", [WORD, [toEth, unwrap]], SECOND, both);
  const firstToEth = inner(firstInputSingle, [[token, WETH, 500, ZERO, DEADLINE, amount, 0n, 0]]);
  add("multicall of the first router", calls, [[firstToEth, unwrap]], FIRST, [done(token, "native", least, me, FIRST, "Uniswap V3")]);
  add("unwrapped for another", calls, [[toEth, inner("function unwrapWETH9(uint256 amountMinimum, address recipient)", [least, alice])]], SECOND,
    [done(token, "native", least, alice)]);
  add("unwrapped for oneself", calls, [[toEth, inner("function unwrapWETH9(uint256 amountMinimum)", [least])]], SECOND, both);
  add("another token is swept", calls, [[toEth, inner("function sweepToken(address token, uint256 amountMinimum, address recipient)", [other, 0n, me])]],
    SECOND, [done(token, WETH, 0n, SECOND), call(SECOND, 0n, types(calls))]);
  const hop = inner(exactInputSingle, [[token, other, 500, constant(2), amount, least, 0]]);
  add("swept for oneself", calls, [[hop, inner("function sweepToken(address token, uint256 amountMinimum)", [other, least + 9n])]], SECOND,
    [done(token, other, least + 9n, me)]);
  const fees = (bips) => least - (least * bips) / 10_000n;
  add("swept with a fee", calls,
    [[hop, inner("function sweepTokenWithFee(address token, uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient)", [other, least, me, 25n, bob])]],
    SECOND, [done(token, other, fees(25n), me)], { parties: [party(bob, "fee_payee")] });
  add("unwrapped with a fee", calls, [[toEth, inner("function unwrapWETH9WithFee(uint256 amountMinimum, uint256 feeBips, address feeRecipient)", [least, 25n, bob])]],
    SECOND, [done(token, "native", fees(25n), me)], { parties: [party(bob, "fee_payee")] });
  const buy = inner(exactOutputSingle, [[WETH, other, 500, me, least, amount, 0]]);
  add("exact output with a refund", calls, [[buy, refund]], SECOND, [done("native", other, least, me)], { value: amount });
  add("exact output with more coins and a refund", calls, [[buy, refund]], SECOND, [done("native", other, least, me), change(5n)],
    { value: amount + 5n });
  add("exact output without a refund", calls, [[buy]], SECOND, [done("native", other, least, me), call(SECOND, 5n, types(calls))],
    { value: amount + 5n });
  const permit = inner("function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)", [token, amount, DEADLINE, 27, WORD, WORD]);
  add("permit and swap", calls, [[permit, inner(exactInputSingle, [[token, other, 500, me, amount, least, 0]])]], SECOND,
    [approve(token, SECOND, amount, false), done(token, other, least, me)]);
  const all = inner(exactInputSingle, [[WETH, other, 500, me, 0n, least, 0]]);
  add("all that the router holds", calls, [[toEth, all]], SECOND, [done(token, other, least, me)]);
  const wrap = inner("function wrapETH(uint256 value)", [amount]);
  add("wrapped and sold", calls, [[wrap, all]], SECOND, [done("native", other, least, me)], { value: amount });
  const pull = inner("function pull(address token, uint256 value)", [token, amount]);
  add("pulled and sold", calls, [[pull, inner(exactInputSingle, [[token, other, 500, me, 0n, least, 0]])]], SECOND, [done(token, other, least, me)]);
  const half = (to) => inner(exactInputSingle, [[token, other, 500, to, amount, least, 0]]);
  add("in two halves", calls, [[half(me), half(me)]], SECOND, [swap("Uniswap", SECOND, token, 2n * amount, other, 2n * least, me)]);
  add("halves for two", calls, [[half(me), half(alice)]], SECOND, [done(token, other, least, me), done(token, other, least, alice)]);
  add("multicall with something unknown", calls, [["0x0badf00d00"]], SECOND,
    [{ call: { contract: SECOND, value: "0", selector: "0x0badf00d", bytes: 5 } }]);
  add("multicall with something unknown and coins", calls, [[half(me), "0x0badf00d00"]], SECOND,
    [{ call: { contract: SECOND, value: "7", selector: "0x0badf00d", bytes: 5 } }, done(token, other, least, me)], { value: 7n });
  let deep = toEth;
  for (let depth = 0; depth < 4; depth++) deep = inner(calls, [[deep]]);
  add("multicall too deep", calls, [[deep, unwrap]], SECOND, [call(SECOND, 0n, types(calls))]);
  add("multicall in a multicall", calls, [[inner(calls, [[toEth]]), unwrap]], SECOND, both);
  for (const [name, at, signature, values] of [
    ["unwrapWETH9", FIRST, "function unwrapWETH9(uint256 amountMinimum, address recipient)", [least, alice]],
    ["unwrapWETH9 to oneself", SECOND, "function unwrapWETH9(uint256 amountMinimum)", [least]],
    ["unwrapWETH9WithFee", FIRST, "function unwrapWETH9WithFee(uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient)", [least, alice, 1n, bob]],
    ["unwrapWETH9WithFee to oneself", SECOND, "function unwrapWETH9WithFee(uint256 amountMinimum, uint256 feeBips, address feeRecipient)", [least, 1n, bob]],
    ["sweepToken", FIRST, "function sweepToken(address token, uint256 amountMinimum, address recipient)", [token, 1n, alice]],
    ["sweepToken to oneself", SECOND, "function sweepToken(address token, uint256 amountMinimum)", [token, 1n]],
    ["sweepTokenWithFee", FIRST, "function sweepTokenWithFee(address token, uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient)", [token, 1n, alice, 1n, bob]],
    ["sweepTokenWithFee to oneself", SECOND, "function sweepTokenWithFee(address token, uint256 amountMinimum, uint256 feeBips, address feeRecipient)", [token, 1n, 1n, bob]],
    ["refundETH", FIRST, "function refundETH()", []],
  ]) {
    add(`${name} of nothing`, signature, values, at,
      [note(`${at === FIRST ? "Uniswap V3" : "Uniswap"}: ${name.split(" ")[0]}`, values.map(text))]);
  }
  add("wrapETH left in the router", "function wrapETH(uint256 value)", [amount], SECOND,
    [swap("Uniswap", SECOND, "native", amount, WETH, amount, SECOND), call(SECOND, 0n, "wrapETH(uint256)", [text(amount)])], { value: amount });
  add("pull into the router", "function pull(address token, uint256 value)", [token, amount], SECOND,
    [{ transfer: { asset: token, to: SECOND, amount: text(amount) } }, call(SECOND, 0n, "pull(address,uint256)", [token, text(amount)])]);
  for (const name of ["selfPermit", "selfPermitIfNecessary"]) {
    add(name, `function ${name}(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)`,
      [token, amount, DEADLINE, 27, WORD, WORD], FIRST, [approve(token, FIRST, amount, false)]);
  }
}

const execute = "function execute(bytes commands, bytes[] inputs)";
const ALL = 2n ** 255n;
const V3_TYPES = ["address", "uint256", "uint256", "bytes", "bool"];
const V2_TYPES = ["address", "uint256", "uint256", "address[]", "bool"];

// The Universal Router's programs.
function programs(tools) {
  const { me, token, other, alice, bob, amount, least, add, text, transfer, approve, change, note, call, swap, party, path, packed, backwards } = tools;
  const [user, here] = [constant(1), constant(2)];
  const done = (sell, buy, minimum, recipient = me) => swap("Uniswap", UNIVERSAL, sell, amount, buy, minimum, recipient);
  const hop = (...tokens) => solidityPacked(tokens.flatMap((_, index) => (index ? ["uint24", "address"] : ["address"])), tokens.flatMap((one, index) => (index ? [500, one] : [one])));
  const v3 = (to, given, minimum, route, payer) => step(V3_TYPES, [to, given, minimum, route, payer]);
  const v2 = (to, given, minimum, route, payer) => step(V2_TYPES, [to, given, minimum, route, payer]);
  const permit = step([`tuple(${details} details, address spender, uint256 sigDeadline)`, "bytes"],
    [[[token, MAX160, DEADLINE, 0n], UNIVERSAL, DEADLINE], "0x12"]);
  const allowed = [approve(token, UNIVERSAL, MAX160, true), note("allowance", [text(DEADLINE)])];
  const wrap = step(["address", "uint256"], [here, amount]);
  const unwrap = (to, minimum) => step(["address", "uint256"], [to, minimum]);
  const sweep = (what, to, minimum) => step(["address", "address", "uint256"], [what, to, minimum]);
  const program = (name, commands, inputs, effects, more = {}) => add(`execute: ${name}`, execute, [commands, inputs], UNIVERSAL, effects, more);
  const named = (value) => call(UNIVERSAL, value, types(execute));

  add("execute until", `${execute.slice(0, -1)}, uint256 deadline)`, ["0x0a00", [permit, v3(user, amount, least, packed, true)], DEADLINE], UNIVERSAL,
    [...allowed, done(token, other, least)]);
  program("permit that may fail", "0x8a00", [permit, v3(user, amount, least, packed, true)], [...allowed, done(token, other, least)]);
  program("permit, swap, unwrap", "0x0a000c", [permit, v3(here, amount, 0n, hop(token, WETH), true), unwrap(user, least)],
    [...allowed, done(token, "native", least)]);
  program("wrap and swap", "0x0b00", [wrap, v3(user, amount, least, hop(WETH, other), false)], [done("native", other, least)], { value: amount });
  program("wrap all and swap all", "0x0b00", [step(["address", "uint256"], [here, ALL]), v3(user, ALL, least, hop(WETH, other), false)],
    [done("native", other, least)], { value: amount });
  const half = amount / 2n;
  program("wrap and swap in two parts", "0x0b0008", [wrap, v3(user, half, 5n, hop(WETH, other), false), v2(user, amount - half, 6n, [WETH, other], false)],
    [done("native", other, 11n)], { value: amount });
  program("a fee for a payee", "0x000604", [v3(here, amount, 0n, packed, true), sweep(other, bob, 25n), sweep(other, user, least)],
    [done(token, other, least)], { parties: [party(bob, "fee_payee")] });
  program("a fee and no minimum after it", "0x000604", [v3(here, amount, 10_000n, packed, true), sweep(other, bob, 25n), sweep(other, user, 0n)],
    [done(token, other, 9_975n)], { parties: [party(bob, "fee_payee")] });
  program("a fixed fee for a payee", "0x000504", [v3(here, amount, 10_000n, packed, true), sweep(other, bob, 25n), sweep(other, user, 0n)],
    [done(token, other, 9_975n)], { parties: [party(bob, "fee_payee")] });
  program("a fee on what is sold", "0x0206000c".slice(0, 8), [step(["address", "address", "uint160"], [token, here, amount]), sweep(token, bob, 100n), v3(user, ALL, least, packed, false)],
    [done(token, other, least)], { parties: [party(bob, "fee_payee")] });
  program("over two versions", "0x0008", [v3(here, amount, 0n, hop(token, WETH), true), v2(user, ALL, least, [WETH, other], false)],
    [done(token, other, least)]);
  program("exact output with coins", "0x0b010c", [wrap, v3(user, least, amount, hop(other, WETH), false), unwrap(user, 0n)],
    [done("native", other, least)], { value: amount });
  program("exact output, and the rest is left", "0x0b01", [wrap, v3(user, least, amount, hop(other, WETH), false)],
    [done("native", other, least), named(0n)], { value: amount });
  program("coins that are not used come back", "0x0b0004", [wrap, v3(user, amount, least, hop(WETH, other), false), sweep(ZERO, user, 0n)],
    [done("native", other, least), change(3n)], { value: amount + 3n });
  program("coins that are not used are left", "0x0b00", [wrap, v3(user, amount, least, hop(WETH, other), false)],
    [done("native", other, least), named(3n)], { value: amount + 3n });
  program("for another", "0x00", [v3(alice, amount, least, packed, true)], [done(token, other, least, alice)]);
  program("into the router", "0x00", [v3(here, amount, least, packed, true)], [done(token, other, least, UNIVERSAL), named(0n)]);
  program("swept by another", "0x0004", [v3(here, amount, 0n, packed, true), sweep(other, alice, least)], [done(token, other, least, alice)]);
  program("both versions, exact output", "0x0109", [v3(user, least, amount, backwards, true), v2(user, least, amount, path, true)],
    [swap("Uniswap", UNIVERSAL, token, 2n * amount, other, 2n * least, me)]);
  program("tokens to another", "0x02", [step(["address", "address", "uint160"], [token, alice, 5n])], [transfer(token, alice, 5n)]);
  program("permits of two", "0x03", [step([`tuple(${details}[] details, address spender, uint256 sigDeadline)`, "bytes"],
    [[[[token, 4n, DEADLINE, 0n], [other, 5n, DEADLINE, 0n]], bob, DEADLINE], "0x12"])],
    [approve(token, bob, 4n, false), note("allowance", [text(DEADLINE)]), approve(other, bob, 5n, false), note("allowance", [text(DEADLINE)])]);
  const check = sweep(me, token, 5n);
  program("nothing but a check", "0x0e", [check], [note("Uniswap: execute", ["0x0e", `[${check.slice(0, 130)}… (96 bytes)]`])]);
}

// Programs that are not understood as a whole.
function refused(tools) {
  const { me, token, other, bob, amount, least, add, text, call, swap, path, packed } = tools;
  const user = constant(1);
  const done = (minimum, recipient = me) => swap("Uniswap", UNIVERSAL, token, amount, other, minimum, recipient);
  const v3 = (to, given, route, payer) => step(V3_TYPES, [to, given, least, route, payer]);
  const unread = (name, fields) => ({ other: { name, fields } });
  const program = (name, commands, inputs, effects, more = {}) => add(`not understood: ${name}`, execute, [commands, inputs], UNIVERSAL, effects, more);
  const fields = (to, given, route, payer) => [to, text(given), text(least), route, text(payer)];
  program("a step that may fail", "0x80", [v3(user, amount, packed, true)], [unread("V3_SWAP_EXACT_IN", fields(user, amount, packed.length > 130 ? `${packed.slice(0, 130)}… (66 bytes)` : packed, true))]);
  program("a byte behind the path", "0x00", [v3(user, amount, `${packed}00`, true)],
    [unread("V3_SWAP_EXACT_IN", fields(user, amount, `${packed.slice(0, 130)}… (67 bytes)`, true))]);
  program("what is paid already", "0x08", [step(V2_TYPES, [user, 0n, least, path, false])],
    [unread("V2_SWAP_EXACT_IN", [user, "0", text(least), `[${path.join(", ")}]`, "false"])]);
  program("what the router does not hold", "0x08", [step(V2_TYPES, [user, amount, least, path, false])],
    [unread("V2_SWAP_EXACT_IN", [user, text(amount), text(least), `[${path.join(", ")}]`, "false"])]);
  program("all of the sender's", "0x08", [step(V2_TYPES, [user, ALL, least, path, true])],
    [unread("V2_SWAP_EXACT_IN", [user, text(ALL), text(least), `[${path.join(", ")}]`, "true"])]);
  program("more than everything for a payee", "0x0006", [v3(constant(2), amount, packed, true), step(["address", "address", "uint256"], [other, bob, 10_001n])],
    [unread("PAY_PORTION", [other, bob, "10001"]), done(least, UNIVERSAL)]);
  for (const command of ["10", "21", "40", "3f"]) {
    program(`command 0x${command}`, `0x00${command}`, [v3(user, amount, packed, true), "0x1234"],
      [{ unknown: { what: `Universal Router command 0x${command}`, bytes: 2 } }, done(least)]);
  }
  add("execute with too few inputs", execute, ["0x0000", [v3(user, amount, packed, true)]], UNIVERSAL, [call(UNIVERSAL, 0n, types(execute))]);
}
