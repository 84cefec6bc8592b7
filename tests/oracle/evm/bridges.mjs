// What goes to other chains.
import { toBech32 } from "@cosmjs/encoding";
import { encodeBase58, getBytes, toBeHex, zeroPadValue } from "ethers";
import { DEADLINE, WETH, WORD, ZERO, types, word } from "./common.mjs";

const LIFI = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const SOLANA = 1151111081099710n;
const NOT_EVM = "0x11f111f111f111F111f111f111F111f111f111F1";

export function bridges(tools) {
  [layerZero, cctp, across, lifi].forEach((group) => group(tools));
}

const sendParam = "tuple(uint32 dstEid, bytes32 to, uint256 amountLD, uint256 minAmountLD, bytes extraOptions, bytes composeMsg, bytes oftCmd)";
const messagingFee = "tuple(uint256 nativeFee, uint256 lzTokenFee)";
const gas = `0x000301001101${toBeHex(200_000n, 16).slice(2)}`;

// Stargate V2 and other tokens over LayerZero.
function layerZero(tools) {
  const { me, alice, bob, amount, least, add, transfer, swap, on, call, party } = tools;
  const send = `function send(${sendParam} _sendParam, ${messagingFee} _fee, address _refundAddress)`;
  const pools = { coin: "0x77b2043768d28E9C9aB44E1aBfC95944bcE57931", usdc: "0xc026395860Db2d07ee33e05fE50ed7bD583189C7", usdt0: "0x6C96dE32CEa08842dcc4058c14d3aaAD7Fa41dee" };
  const values = ({ eid = 30110, to = word(alice), options = "0x", compose = "0x", command = "0x", zro = 0n, refund = me } = {}) =>
    [[eid, to, amount, least, options, compose, command], [9n, zro], refund];
  const done = (name, at, sell, place = "Arbitrum", to = alice) => swap(name, at, sell, amount, on(place), least, to);
  const fee = (at) => transfer("native", at, 9n);
  const refund = [party(me, "refund")];
  add("Stargate send", send, values(), pools.usdc, [done("Stargate", pools.usdc, USDC), fee(pools.usdc)], { value: 9n, parties: refund });
  add("Stargate sendToken of coins", send.replace("send(", "sendToken("), values(), pools.coin, [done("Stargate", pools.coin, "native"), fee(pools.coin)],
    { value: amount + 9n, parties: refund });
  add("Stargate send with others", send, values({ command: "0x00" }), pools.usdc, [done("Stargate", pools.usdc, USDC), fee(pools.usdc)],
    { value: 9n, parties: refund });
  add("OFT send with gas", send, values({ options: gas, refund: bob }), pools.usdt0, [done("USDT0", pools.usdt0, USDT), fee(pools.usdt0)],
    { value: 9n, parties: [party(bob, "refund")] });
  add("OFT send to Solana", send, values({ eid: 30168, to: WORD }), pools.usdt0,
    [done("USDT0", pools.usdt0, USDT, "Solana", encodeBase58(WORD)), fee(pools.usdt0)], { value: 9n, parties: refund });
  const unread = (name, change, place, to) =>
    add(`Stargate send ${name}`, send, values(change), pools.usdc, [done("Stargate", pools.usdc, USDC, place, to), call(pools.usdc, 9n, types(send))],
      { value: 9n, parties: refund });
  unread("with a message", { compose: "0x12" });
  unread("with a drop of coins", { options: `0x000301003102${toBeHex(5n, 16).slice(2)}${WORD.slice(2)}` });
  unread("with options of another kind", { options: "0x0001" });
  unread("with gas and a byte", { options: `${gas}00` });
  unread("with a fee in another token", { zro: 1n });
  unread("with a command", { command: "0x0000" });
  unread("to a chain nobody knows", { eid: 39999 }, "LayerZero endpoint 39999", word(alice).toLowerCase());
  unread("to more than an address", { to: WORD }, "Arbitrum", WORD);
  const short = [done("Stargate", pools.coin, "native"), call(pools.coin, 0n, types(send))];
  add("Stargate send of coins that do not come", send, values(), pools.coin, short, { value: 9n, parties: refund });
}

// Circle's own.
function cctp(tools) {
  const { alice, bob, amount, least, add, swap, on, call, party } = tools;
  const [first, second] = ["0xBd3fa81B58Ba92a82136038B25aDec7066af3155", "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d"];
  const start = "uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken";
  const done = (at, minimum, place = "Base", to = alice) => swap("CCTP", at, USDC, amount, on(place), minimum, to);
  add("CCTP depositForBurn", `function depositForBurn(${start})`, [amount, 6, word(alice), USDC], first, [done(first, amount)]);
  add("CCTP depositForBurn to Solana", `function depositForBurn(${start})`, [amount, 5, WORD, USDC], first,
    [done(first, amount, "Solana", encodeBase58(WORD))]);
  add("CCTP depositForBurn to Noble", `function depositForBurn(${start})`, [amount, 4, word(alice), USDC], first,
    [done(first, amount, "Noble", toBech32("noble", getBytes(alice)))]);
  add("CCTP depositForBurnWithCaller", `function depositForBurnWithCaller(${start}, bytes32 destinationCaller)`,
    [amount, 6, word(alice), USDC, word(bob)], first, [done(first, amount)], { parties: [party(bob, "authority")] });
  const second2 = `${start}, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold`;
  add("CCTP V2 depositForBurn", `function depositForBurn(${second2})`, [amount, 6, word(alice), USDC, word(ZERO), 7n, 1000], second, [done(second, amount - 7n)]);
  const hook = `function depositForBurnWithHook(${second2}, bytes hookData)`;
  add("CCTP V2 depositForBurnWithHook", hook, [amount, 6, word(alice), USDC, word(ZERO), 7n, 1000, "0x12"], second,
    [done(second, amount - 7n), call(second, 0n, types(hook))]);
  add("CCTP to a domain nobody knows", `function depositForBurn(${start})`, [amount, 999, word(alice), USDC], first,
    [done(first, amount, "CCTP domain 999", word(alice).toLowerCase()), call(first, 0n, types(`function depositForBurn(${start})`))]);
}

function across(tools) {
  const { me, token, other, alice, bob, amount, least, add, swap, on, call, party } = tools;
  const pool = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
  const end = "uint32 fillDeadline, uint32 exclusivityDeadline, bytes message";
  const start = (kind) => `${kind} depositor, ${kind} recipient, ${kind} inputToken, ${kind} outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, ${kind} exclusiveRelayer`;
  const v3 = `function depositV3(${start("address")}, uint32 quoteTimestamp, ${end})`;
  const done = (sell, place = "Base", asset = other, to = alice) => swap("Across", pool, sell, amount, on(place, asset), least, to);
  const values = (sell, message = "0x", { chain = 8453n, buy = other, from = me } = {}) => [from, alice, sell, buy, amount, least, chain, ZERO, 1, 2, 3, message];
  const parties = [party(me, "refund")];
  add("Across depositV3", v3, values(token), pool, [done(token)], { parties });
  add("Across depositV3 refunded to another", v3, values(token, "0x", { from: bob }), pool, [done(token)], { parties: [party(bob, "refund")] });
  add("Across depositV3 of coins", v3, values(WETH), pool, [done("native")], { value: amount, parties });
  add("Across depositV3 of wrapped coins", v3, values(WETH), pool, [done(WETH)], { parties });
  add("Across depositV3 without a token there", v3, values(token, "0x", { buy: ZERO }), pool, [done(token, "Base", null)], { parties });
  add("Across depositV3 with a message", v3, values(token, "0x12"), pool, [done(token), call(pool, 0n, types(v3))], { parties });
  add("Across depositV3 to a chain nobody knows", v3, values(token, "0x", { chain: 31337n }), pool,
    [done(token, "chain 31337", null), call(pool, 0n, types(v3))], { parties });
  const now = ([from, to, sell, buy, given, out, chain, relayer, , fill, exclusive, message]) => [from, to, sell, buy, given, out, chain, relayer, fill, exclusive, message];
  add("Across depositV3Now", `function depositV3Now(${start("address")}, ${end})`, now(values(token)), pool, [done(token)], { parties });
  const long = (values) => values.map((value) => (typeof value === "string" && value.length === 42 ? word(value) : value));
  const deposit = `function deposit(${start("bytes32")}, uint32 quoteTimestamp, ${end})`;
  add("Across deposit", deposit, long(values(token)), pool, [done(token)], { parties });
  const solana = long(values(token, "0x", { chain: 34268394551451n }));
  solana[1] = WORD;
  solana[3] = WORD;
  add("Across deposit to Solana", deposit, solana, pool, [done(token, "Solana", encodeBase58(WORD), encodeBase58(WORD))], { parties });
  add("Across depositNow", `function depositNow(${start("bytes32")}, ${end})`, now(long(values(token))), pool, [done(token)], { parties });
}

// Bridges that LI.FI starts.
function lifi(tools) {
  const { me, token, other, alice, bob, amount, least, add, transfer, swap, on, call, party } = tools;
  const data = "tuple(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)";
  const bridge = "tuple(bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) _bridgeData";
  const hop = (sell) => [bob, bob, sell, other, amount, "0x1234", true];
  const bridged = (asset, to, chain, { swaps = false, calls = false } = {}) => [WORD, "a bridge", "an integrator", ZERO, asset, to, amount, chain, swaps, calls];
  const direct = (name, struct) => `function startBridgeTokensVia${name}(${bridge}, ${struct})`;
  const after = (name, struct) => `function swapAndStartBridgeTokensVia${name}(${bridge}, ${data}[] _swapData, ${struct})`;
  const done = (sell, place, minimum, to = alice, asset = null) => swap("LI.FI", LIFI, sell, amount, on(place, asset), minimum, to);
  const none = word(ZERO);

  const relay = "tuple(bytes32 requestId, bytes32 nonEVMReceiver, bytes32 receivingAssetId, bytes signature) _relayData";
  add("LI.FI over Relay", direct("Relay", relay), [bridged(token, alice, 8453n), [WORD, none, word(other), "0x12"]], LIFI,
    [done(token, "Base", null, alice, other)]);
  add("LI.FI over Relay to Solana", direct("Relay", relay), [bridged(ZERO, NOT_EVM, SOLANA), [WORD, WORD, WORD, "0x12"]], LIFI,
    [done("native", "Solana", null, encodeBase58(WORD), encodeBase58(WORD)), transfer("native", LIFI, 8n)], { value: amount + 8n });
  add("LI.FI over Relay after a swap", after("Relay", relay), [bridged(other, alice, 8453n, { swaps: true }), [hop(token)], [WORD, none, word(other), "0x12"]], LIFI,
    [done(token, "Base", null, alice, other)]);
  add("LI.FI over Relay with a second recipient", direct("Relay", relay), [bridged(token, alice, 8453n), [WORD, word(bob), word(other), "0x12"]], LIFI,
    [done(token, "Base", null, alice, other), call(LIFI, 0n, types(direct("Relay", relay)))]);
  add("LI.FI over Relay with a call there", direct("Relay", relay), [bridged(token, alice, 8453n, { calls: true }), [WORD, none, word(other), "0x12"]], LIFI,
    [done(token, "Base", null, alice, other), call(LIFI, 0n, types(direct("Relay", relay)))]);
  add("LI.FI over Relay to a chain nobody knows", direct("Relay", relay), [bridged(token, alice, 20000000000001n), [WORD, none, WORD, "0x12"]], LIFI,
    [done(token, "chain 20000000000001", null), call(LIFI, 0n, types(direct("Relay", relay)))]);

  // Which chains gas goes to is written in numbers of its own.
  const gasZip = "tuple(bytes32 receiverAddress, uint256 destinationChains) _gasZipData";
  const zipped = [zeroPadValue(alice, 20).padEnd(66, "0"), 7n];
  add("LI.FI over GasZip", direct("GasZip", gasZip), [bridged(ZERO, alice, 8453n), zipped], LIFI,
    [done("native", "Base", null), call(LIFI, 0n, types(direct("GasZip", gasZip)))], { value: amount });
  add("LI.FI over GasZip after a swap", after("GasZip", gasZip), [bridged(ZERO, alice, 8453n, { swaps: true }), [hop(token)], zipped], LIFI,
    [done(token, "Base", null), call(LIFI, 0n, types(after("GasZip", gasZip)))]);

  const acrossV4 = "tuple(bytes32 receiverAddress, bytes32 refundAddress, bytes32 sendingAssetId, bytes32 receivingAssetId, uint256 outputAmount, uint128 outputAmountMultiplier, bytes32 exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) _acrossData";
  const acrossData = (to, message = "0x") => [word(to), word(bob), word(token), word(other), least, 1n, none, 1, 2, 3, message];
  const refund = [party(bob, "refund")];
  add("LI.FI over Across", direct("AcrossV4", acrossV4), [bridged(token, alice, 8453n), acrossData(alice)], LIFI,
    [done(token, "Base", least, alice, other)], { parties: refund });
  add("LI.FI over Across with a message", direct("AcrossV4", acrossV4), [bridged(token, alice, 8453n), acrossData(alice, "0x12")], LIFI,
    [done(token, "Base", least, alice, other), call(LIFI, 0n, types(direct("AcrossV4", acrossV4)))], { parties: refund });
  add("LI.FI over Across after a swap", after("AcrossV4", acrossV4), [bridged(other, alice, 8453n, { swaps: true }), [hop(token)], acrossData(alice)], LIFI,
    [done(token, "Base", null, alice, other)], { parties: refund });

  const stargate = `tuple(uint16 assetId, ${sendParam} sendParams, ${messagingFee} fee, address refundAddress) _stargateData`;
  const sent = (eid, given = amount) => [1, [eid, word(alice), given, least, "0x", "0x", "0x"], [9n, 0n], me];
  const mine = [party(me, "refund")];
  add("LI.FI over Stargate", direct("Stargate", stargate), [bridged(token, alice, 8453n), sent(30184)], LIFI,
    [done(token, "Base", least), transfer("native", LIFI, 9n)], { value: 9n, parties: mine });
  for (const [name, chain, eid, given] of [["another amount", "Base", 30184, 5n], ["another chain", "Arbitrum", 30110, amount]]) {
    const to = chain === "Base" ? alice : alice;
    add(`LI.FI over Stargate with ${name}`, direct("Stargate", stargate), [bridged(token, alice, 8453n), sent(eid, given)], LIFI,
      [done(token, chain, least, to), call(LIFI, 9n, types(direct("Stargate", stargate)))], { value: 9n, parties: mine });
  }
  add("LI.FI over Stargate after a swap", after("Stargate", stargate), [bridged(other, alice, 8453n, { swaps: true }), [hop(token)], sent(30184)], LIFI,
    [done(token, "Base", null), call(LIFI, 9n, types(after("Stargate", stargate)))], { value: 9n, parties: mine });

  const circle = "tuple(uint256 maxFee, uint32 minFinalityThreshold) _celerCircleData";
  add("LI.FI over Celer and CCTP", direct("CelerCircleBridge", circle), [bridged(USDC, alice, 8453n), [7n, 1000]], LIFI, [done(USDC, "Base", null)]);
  add("LI.FI over Celer and CCTP after a swap", after("CelerCircleBridge", circle), [bridged(USDC, alice, 8453n, { swaps: true }), [hop(token)], [7n, 1000]], LIFI,
    [done(token, "Base", null)]);
}
