// Calls of contracts, with signatures as their authors write them, and what each of them does for the caller. A function
// means something at the contract that is known for it; the tests send the same data to another one too.
import { concat, solidityPacked } from "ethers";
import { DEADLINE, MAX, WETH, WORD, ZERO, details, inner, types } from "./common.mjs";
import { swaps } from "./swaps.mjs";
import { bridges } from "./bridges.mjs";
import { routers } from "./routers.mjs";

const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const STETH = "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84";
const WSTETH = "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0";
const RETH = "0xae78736Cd615f374D3085123A210448E74Fc6393";
const MAX160 = 2n ** 160n - 1n;

export function calls(seeds) {
  const tools = toolkit(seeds);
  [tokens, items, permit2, staking, lending, routers, swaps, bridges, deposits, others].forEach((group) => group(tools));
  return tools.list;
}

// What the groups of calls share: accounts, amounts, and words for what happens.
function toolkit({ me, address, number }) {
  const list = [];
  const token = address("a token");
  const other = address("another token");
  const alice = address("alice");
  const bob = address("bob");
  const amount = number("an amount", 80);
  const least = number("the least", 90);
  const text = (value) => value.toString();
  const add = (name, signature, values, to, effects, more = {}) =>
    list.push({ name, signature, values, to, effects, ...more });
  const raw = (name, to, value, data, effects, more = {}) => list.push({ name, to, value, data, effects, ...more });

  const transfer = (asset, to, amount) => ({ transfer: { asset, to, amount: text(amount) } });
  const transferFrom = (asset, from, to, amount) => ({ transfer_from: { asset, from, to, amount: text(amount) } });
  const approve = (asset, spender, amount, unlimited) => ({ approve: { asset, spender, amount: text(amount), unlimited } });
  const change = (amount) => ({ change: { to: me, amount: text(amount) } });
  const note = (name, fields) => ({ note: { name, fields } });
  // A call by its name; with its arguments where they are given.
  const call = (contract, value, signature, args) => ({ call: { contract, value: text(value), signature, arguments: args } });
  const swap = (provider, at, sell, amount, buy, minimum, recipient = alice) => ({
    swap: { provider, router: at, sell, amount: text(amount), buy, minimum_out: minimum === null ? null : text(minimum), recipient },
  });
  const on = (place, asset = null) => ({ place, asset });
  const party = (address, role) => ({ address, role });
  const packed = solidityPacked(["address", "uint24", "address", "uint24", "address"], [token, 500, bob, 3000, other]);
  const backwards = solidityPacked(["address", "uint24", "address"], [other, 500, token]);
  return {
    me, address, list, token, other, alice, bob, amount, least, add, raw, text, transfer, transferFrom, approve, change,
    note, call, swap, on, party, packed, backwards, path: [token, bob, other],
  };
}

// Tokens and allowances, at any contract.
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
  add("transferAndCall", "function transferAndCall(address to, uint256 value, bytes data)", [alice, amount, "0x1234"], token,
    [call(token, 0n, "transferAndCall(address,uint256,bytes)", [alice, text(amount), "0x1234"])]);
  add("approveAndCall", "function approveAndCall(address spender, uint256 value, bytes data)", [alice, amount, "0x1234"], token,
    [call(token, 0n, "approveAndCall(address,uint256,bytes)", [alice, text(amount), "0x1234"])]);
}

// Pieces of collections.
function items(tools) {
  const { me, token, alice, bob, add, text, transfer, transferFrom, approve } = tools;
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
  // A node says that the contract is a collection: the number is an item's.
  const facts = [{ kind: "token", id: token, ticker: null, decimals: null, collection: true }];
  add("ERC-721 transferFrom", "function transferFrom(address from, address to, uint256 tokenId)", [me, alice, 77n], token,
    [transfer(item(77n), alice, 1n)], { facts });
  add("ERC-721 approve", "function approve(address to, uint256 tokenId)", [bob, 77n], token,
    [approve(item(77n), bob, 1n, false)], { facts });
}

// Permit2.
function permit2(tools) {
  const { me, token, other, alice, bob, amount, add, text, transfer, transferFrom, approve, note, call } = tools;
  const end = note("allowance", [text(DEADLINE)]);
  add("Permit2 approve", "function approve(address token, address spender, uint160 amount, uint48 expiration)",
    [token, bob, amount, DEADLINE], PERMIT2, [approve(token, bob, amount, false), end]);
  add("Permit2 approve all", "function approve(address token, address spender, uint160 amount, uint48 expiration)",
    [token, bob, MAX160, DEADLINE], PERMIT2, [approve(token, bob, MAX160, true), end]);
  const permit = `function permit(address owner, tuple(${details} details, address spender, uint256 sigDeadline) permitSingle, bytes signature)`;
  add("Permit2 permit", permit, [me, [[token, MAX160, DEADLINE, 1n], bob, DEADLINE], "0x12"], PERMIT2,
    [approve(token, bob, MAX160, true), end]);
  add("Permit2 permit of another's", permit, [alice, [[token, MAX160, DEADLINE, 1n], bob, DEADLINE], "0x12"], PERMIT2,
    [call(PERMIT2, 0n, types(permit))]);
  add("Permit2 permit of two",
    `function permit(address owner, tuple(${details}[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)`,
    [me, [[[token, 4n, DEADLINE, 1n], [other, MAX160, DEADLINE, 2n]], bob, DEADLINE], "0x12"], PERMIT2,
    [approve(token, bob, 4n, false), end, approve(other, bob, MAX160, true), end]);
  add("Permit2 transferFrom", "function transferFrom(address from, address to, uint160 amount, address token)",
    [bob, alice, amount, token], PERMIT2, [transferFrom(token, bob, alice, amount)]);
  add("Permit2 transferFrom of two",
    "function transferFrom(tuple(address from, address to, uint160 amount, address token)[] transferDetails)",
    [[[bob, alice, 1n, token], [me, alice, 2n, other]]], PERMIT2,
    [transferFrom(token, bob, alice, 1n), transfer(other, alice, 2n)]);
  add("Permit2 permitTransferFrom",
    "function permitTransferFrom(tuple(tuple(address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, tuple(address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)",
    [[[token, MAX], 1n, DEADLINE], [alice, amount], bob, "0x12"], PERMIT2, [transferFrom(token, bob, alice, amount)]);
}

// Wrapped coins and staking: one token for another at the contract's own rate.
function staking(tools) {
  const { me, token, bob, alice, amount, add, text, transfer, call, note, swap, party } = tools;
  const deposit = "function deposit()";
  add("wrap", deposit, [], WETH, [swap("Wrapped ETH", WETH, "native", amount, WETH, amount, me)], { value: amount });
  add("unwrap", "function withdraw(uint256 wad)", [amount], WETH, [swap("Wrapped ETH", WETH, WETH, amount, "native", amount, me)]);
  add("deposit() to anybody", deposit, [], token, [call(token, 10n ** 19n, "deposit()", [])], { value: 10n ** 19n });
  add("Lido submit", "function submit(address _referral)", [ZERO], STETH,
    [swap("Lido", STETH, "native", amount, STETH, amount - 2n, me)], { value: amount });
  add("Lido wrap", "function wrap(uint256 _stETHAmount)", [amount], WSTETH, [swap("Lido", WSTETH, STETH, amount, WSTETH, null, me)]);
  add("Lido unwrap", "function unwrap(uint256 _wstETHAmount)", [amount], WSTETH, [swap("Lido", WSTETH, WSTETH, amount, STETH, null, me)]);
  const pool = "0xDD3f50F8A6CafbE9b31a427582963f465E745AF8";
  add("Rocket Pool deposit", deposit, [], pool, [swap("Rocket Pool", pool, "native", amount, RETH, null, me)], { value: amount });
  add("Rocket Pool burn", "function burn(uint256 amount)", [amount], RETH, [swap("Rocket Pool", RETH, RETH, amount, "native", null, me)]);
  const queue = "0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1";
  for (const [suffix, asset] of [["", STETH], ["WstETH", WSTETH]]) {
    add(`Lido requestWithdrawals${suffix}`, `function requestWithdrawals${suffix}(uint256[] _amounts, address _owner)`, [[3n, 4n], bob],
      queue, [transfer(asset, queue, 7n), note(`Lido: requestWithdrawals${suffix}`, ["[3, 4]", bob])], { parties: [party(bob, "recipient")] });
  }
  add("Lido requestWithdrawals for oneself", "function requestWithdrawals(uint256[] _amounts, address _owner)", [[3n], ZERO], queue,
    [transfer(STETH, queue, 3n), note("Lido: requestWithdrawals", ["[3]", ZERO])]);
  add("Lido claimWithdrawal", "function claimWithdrawal(uint256 _requestId)", [5n], queue, [note("Lido: claimWithdrawal", ["5"])]);
  add("Lido claimWithdrawals", "function claimWithdrawals(uint256[] _requestIds, uint256[] _hints)", [[5n], [1n]], queue,
    [note("Lido: claimWithdrawals", ["[5]", "[1]"])]);
  const claimTo = "function claimWithdrawalsTo(uint256[] _requestIds, uint256[] _hints, address _recipient)";
  add("Lido claimWithdrawalsTo", claimTo, [[5n], [1n], alice], queue, [call(queue, 0n, types(claimTo), ["[5]", "[1]", text(alice)])]);
}

// Aave.
function lending(tools) {
  const { me, token, alice, amount, add, text, transfer, call, note, party } = tools;
  const pool = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2";
  const gateway = "0xd01607c3C5eCABa394D8be377a08590149325722";
  for (const name of ["supply", "deposit"]) {
    add(`Aave ${name}`, `function ${name}(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)`, [token, amount, alice, 0],
      pool, [transfer(token, pool, amount), note(`Aave V3: ${name}`, [token, text(amount), alice, "0"])], { parties: [party(alice, "recipient")] });
  }
  const repay = "function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)";
  add("Aave repay", repay, [token, amount, 2n, me], pool,
    [transfer(token, pool, amount), note("Aave V3: repay", [token, text(amount), "2", me])], { parties: [party(me, "recipient")] });
  add("Aave repay all", repay, [token, MAX, 2n, me], pool,
    [transfer(token, pool, MAX), note("Aave V3: repay", [token, text(MAX), "2", me]), call(pool, 0n, types(repay))], { parties: [party(me, "recipient")] });
  const withdraw = "function withdraw(address asset, uint256 amount, address to)";
  add("Aave withdraw", withdraw, [token, MAX, me], pool, [note("Aave V3: withdraw", [token, text(MAX), me])]);
  add("Aave withdraw to another", withdraw, [token, amount, alice], pool,
    [transfer(token, alice, amount), note("Aave V3: withdraw", [token, text(amount), alice])]);
  add("Aave withdraw all to another", withdraw, [token, MAX, alice], pool,
    [transfer(token, alice, MAX), note("Aave V3: withdraw", [token, text(MAX), alice]), call(pool, 0n, types(withdraw))]);
  const borrow = "function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)";
  add("Aave borrow", borrow, [token, amount, 2n, 0, me], pool, [call(pool, 0n, types(borrow))]);
  const collateral = "function setUserUseReserveAsCollateral(address asset, bool useAsCollateral)";
  add("Aave collateral", collateral, [token, false], pool, [call(pool, 0n, types(collateral))]);
  const depositEth = "function depositETH(address pool, address onBehalfOf, uint16 referralCode)";
  add("Aave depositETH", depositEth, [pool, me, 0], gateway,
    [transfer("native", gateway, amount), note("Aave V3: depositETH", [pool, me, "0"])], { value: amount, parties: [party(me, "recipient")] });
  add("Aave depositETH to another pool", depositEth, [alice, me, 0], gateway,
    [transfer("native", gateway, amount), note("Aave V3: depositETH", [alice, me, "0"]), call(gateway, 0n, types(depositEth))],
    { value: amount, parties: [party(me, "recipient")] });
  add("Aave repayETH", "function repayETH(address pool, uint256 amount, address onBehalfOf)", [pool, amount, me], gateway,
    [transfer("native", gateway, amount), note("Aave V3: repayETH", [pool, text(amount), me])], { value: amount, parties: [party(me, "recipient")] });
  add("Aave withdrawETH", "function withdrawETH(address pool, uint256 amount, address to)", [pool, amount, me], gateway,
    [note("Aave V3: withdrawETH", [pool, text(amount), me])]);
  const borrowEth = "function borrowETH(address pool, uint256 amount, uint16 referralCode)";
  add("Aave borrowETH", borrowEth, [pool, amount, 0], gateway, [call(gateway, 0n, types(borrowEth))]);
}

// THORChain and MayaChain: the vault is who is paid, unless the network's nodes say that it takes deposits there.
function deposits(tools) {
  const { token, bob, address, amount, add, raw, text, transfer, call, swap, party } = tools;
  const routers = { THORChain: "0xD37BbE5744D730a1d98d8DC97c42F0Ca46aD7146", MayaChain: "0xe3985E6b61b814F7Cdb188766562ba71b446B46d" };
  const takes = (network, router = null) => [{ kind: "deposit_address", network, chain: "Ethereum", address: bob.toLowerCase(), router }];
  const expiring = "function depositWithExpiry(address vault, address asset, uint256 amount, string memo, uint256 expiration)";
  const named = (asset) => ({ named: asset });
  const bitcoin = [party("bc1qaddress", "destination")];
  const memo = "SWAP:BTC.BTC:bc1qaddress:12345";
  const to = (network) => ({ facts: takes(network), parties: [...bitcoin, party(bob, "router")] });
  add("THORChain deposit", "function deposit(address vault, address asset, uint256 amount, string memo)", [bob, token, amount, memo],
    routers.THORChain, [swap("THORChain", routers.THORChain, token, amount, named("BTC.BTC"), 12345n, "bc1qaddress")], to("THORChain"));
  add("THORChain deposit of coins", expiring, [bob, ZERO, 0n, "=:b:bc1qaddress:7/1/0", DEADLINE], routers.THORChain,
    [swap("THORChain", routers.THORChain, "native", amount, named("BTC.BTC"), 7n, "bc1qaddress")], { value: amount, ...to("THORChain") });
  add("MayaChain deposit", expiring, [bob, token, amount, "=:b:bc1qaddress:7", DEADLINE], routers.MayaChain,
    [swap("MayaChain", routers.MayaChain, token, amount, named("BTC.BTC"), 7n, "bc1qaddress")], to("MayaChain"));
  const unlisted = address("a router of a network");
  add("THORChain deposit over a router that its nodes name", expiring, [bob, token, amount, "=:b:bc1qaddress:7", DEADLINE], unlisted,
    [swap("THORChain", unlisted, token, amount, named("BTC.BTC"), 7n, "bc1qaddress")], { ...to("THORChain"), facts: takes("THORChain", unlisted) });
  add("deposit to a vault of nobody", expiring, [bob, token, amount, memo, DEADLINE], routers.THORChain,
    [transfer(token, bob, amount)], { parties: bitcoin });
  const unread = (memo) => ({ unknown: { what: "memo", bytes: memo.length } });
  for (const facts of [takes("THORChain"), []]) {
    add(`deposit with a memo nobody knows${facts.length ? "" : ", to nobody"}`, expiring, [bob, token, 6n, "hello", DEADLINE],
      routers.THORChain, [transfer(token, bob, 6n), unread("hello")], { facts });
  }
  add("deposit with another memo", expiring, [bob, token, 6n, "+:ETH.USDC", DEADLINE], routers.THORChain,
    [transfer(token, bob, 6n), { other: { name: "ADD", fields: ["ETH.USDC"] } }], { facts: takes("THORChain") });
  add("deposit of a token with coins", expiring, [bob, token, 6n, memo, DEADLINE], routers.THORChain,
    [transfer(token, bob, 6n), transfer("native", routers.THORChain, 9n)], { value: 9n, parties: bitcoin });
  add("deposit over a router that nobody knows", expiring, [bob, token, amount, memo, DEADLINE], address("a router"),
    [call(address("a router"), 0n, types(expiring))], { parties: [...bitcoin, party(bob, "recipient")] });
  const letters = `0x${Buffer.from(memo).toString("hex")}`;
  raw("coins with a memo to a vault", bob, amount, letters, [swap("THORChain", bob, "native", amount, named("BTC.BTC"), 12345n, "bc1qaddress")],
    { memo, facts: takes("THORChain"), parties: bitcoin });
  raw("coins with a memo to nobody", bob, amount, letters,
    [{ call: { contract: bob, value: text(amount), selector: letters.slice(0, 10), bytes: memo.length } }], { memo, parties: bitcoin });
  raw("coins with a memo nobody knows to a vault", bob, amount, "0x68656c6c6f", [transfer("native", bob, amount), unread("hello")],
    { memo: "hello", facts: takes("THORChain") });
}

// Not calls, or not understood.
function others(tools) {
  const { token, alice, bob, amount, raw, text, transfer, approve } = tools;
  const router = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
  raw("coins", alice, amount, "0x", [transfer("native", alice, amount)]);
  const lunch = Buffer.from("for lunch 🍜");
  const letters = { contract: alice, value: text(amount), selector: `0x${lunch.subarray(0, 4).toString("hex")}`, bytes: lunch.length };
  raw("coins with a text", alice, amount, `0x${lunch.toString("hex")}`, [{ call: letters }], { memo: lunch.toString() });
  raw("a new contract", null, 3n, "0x6000", [{ create: { value: "3", bytes: 2 } }]);
  const unknown = (value, selector, bytes, contract = token) => [{ call: { contract, value: text(value), selector, bytes } }];
  raw("three bytes", token, 0n, "0xffffff", unknown(0n, null, 3));
  raw("a function nobody knows", token, 7n, `0x0badf00d${"00".repeat(32)}`, unknown(7n, "0x0badf00d", 36));
  raw("transfer, cut short", token, 0n, `0xa9059cbb${"00".repeat(63)}`, unknown(0n, "0xa9059cbb", 67));
  raw("transfer to more than an address", token, 0n, `0xa9059cbb01${"00".repeat(63)}`, unknown(0n, "0xa9059cbb", 68));
  raw("approve with something behind it", token, 0n,
    concat([inner("function approve(address spender, uint256 value)", [bob, MAX]), "0xabcd"]), [approve(token, bob, MAX, true)]);
  raw("a truth of two", token, 0n, `0xa22cb465${"00".repeat(63)}02`, unknown(0n, "0xa22cb465", 68));
  raw("an offset beyond the end", router, 0n, `0xac9650d8${"ff".repeat(32)}`, unknown(0n, "0xac9650d8", 36, router));
  const forever = `0xac9650d8${"00".repeat(31)}20${"ff".repeat(32)}`;
  raw("more calls than bytes", router, 0n, forever, unknown(0n, "0xac9650d8", 68, router));
}
