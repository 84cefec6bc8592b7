// Cosmos chains, THORChain and MayaChain. Payloads are built and signed by Wallet Core and read again by CosmJS,
// which also makes what Wallet Core does not: amino documents as transactions, and sign docs of messages of any kind.
// Where the two do not agree on what was signed and by whom, nothing is written.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { makeSignDoc as makeAminoDoc, serializeSignDoc } from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64, fromBech32, toBase64, toBech32, toHex, toUtf8 } from "@cosmjs/encoding";
import { decodeTxRaw, encodePubkey, makeAuthInfoBytes, makeSignBytes, makeSignDoc, Registry } from "@cosmjs/proto-signing";
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes } from "@cosmjs/stargate";
import { initWasm, TW } from "@trustwallet/wallet-core";
import { MsgExec } from "cosmjs-types/cosmos/authz/v1beta1/tx";
import { SignMode } from "cosmjs-types/cosmos/tx/signing/v1beta1/signing";
import { AuthInfo, TxBody, TxRaw } from "cosmjs-types/cosmos/tx/v1beta1/tx";
import { MsgExecuteContract } from "cosmjs-types/cosmwasm/wasm/v1/tx";
import Long from "long";
import protobuf from "protobufjs";
import { encode, write } from "./payload.mjs";

const core = await initWasm();
const { Proto } = TW.Cosmos;

const digest = (text) => createHash("sha256").update(`countersign cosmos ${text}`).digest();
const number = (text, bits) => BigInt(`0x${digest(text).toString("hex")}`) % 2n ** BigInt(bits);
const long = (value) => Long.fromString(value.toString());
const sum = (name, bits = 40) => (1n + number(`${name} amount`, bits)).toString();

const chains = {
  Cosmos: ["cosmos", "cosmoshub-4", "uatom", 200_000n, "ATOM", 6],
  Osmosis: ["osmo", "osmosis-1", "uosmo", 300_000n, "OSMO", 6],
  Dydx: ["dydx", "dydx-mainnet-1", "adydx", 200_000n, "DYDX", 18],
  Kujira: ["kujira", "kaiyo-1", "ukuji", 200_000n, "KUJI", 6],
  Terra: ["terra", "phoenix-1", "uluna", 300_000n, "LUNA", 6],
  TerraClassic: ["terra", "columbus-5", "uluna", 300_000n, "LUNC", 6],
  Noble: ["noble", "noble-1", "uusdc", 200_000n, "USDC", 6],
  Akash: ["akash", "akashnet-2", "uakt", 200_000n, "AKT", 6],
  THORChain: ["thor", "thorchain-1", "rune", 20_000_000n, "RUNE", 8],
  MayaChain: ["maya", "mayachain-mainnet-v1", "cacao", 2_000_000_000n, "CACAO", 10],
};
const vaultBased = new Set(["THORChain", "MayaChain"]);

// THORChain's messages, which neither CosmJS nor its types have.
const thor = protobuf.parse(`syntax = "proto3"; package types;
  message Coin { string denom = 1; string amount = 2; }
  message MsgSend { bytes from_address = 1; bytes to_address = 2; repeated Coin amount = 3; }
  message Asset { string chain = 1; string symbol = 2; string ticker = 3; bool synth = 4; bool trade = 5; bool secured = 6; }
  message AssetCoin { Asset asset = 1; string amount = 2; int64 decimals = 3; }
  message MsgDeposit { repeated AssetCoin coins = 1; string memo = 2; bytes signer = 3; }`, { keepCase: true }).root;

const registry = new Registry([
  ...defaultRegistryTypes,
  ["/cosmwasm.wasm.v1.MsgExecuteContract", MsgExecuteContract],
  ["/cosmos.authz.v1beta1.MsgExec", MsgExec],
  ["/types.MsgSend", thor.lookupType("types.MsgSend")],
  ["/types.MsgDeposit", thor.lookupType("types.MsgDeposit")],
]);

/** What one case is about: a chain, a key, an account and what the chain knows of it. */
function signer(name, chain, secret = digest(`${name} key`)) {
  const [hrp, chainId, denom, gas, ticker, decimals] = chains[chain];
  const key = core.PrivateKey.createWithData(secret);
  const publicKey = key.getPublicKeySecp256k1(true).data();
  const hash = createHash("ripemd160").update(sha256(publicKey)).digest();
  return {
    name, chain, hrp, chainId, denom, gas, ticker, decimals, secret, publicKey,
    address: toBech32(hrp, hash),
    accountNumber: number(`${name} account`, 23),
    sequence: number(`${name} sequence`, 14),
  };
}

const receiver = (name, hrp) => toBech32(hrp, digest(`${name} receiver`).subarray(0, 20));
const contractOf = (name, hrp) => toBech32(hrp, digest(`${name} contract`));
const bytesOf = (address) => fromBech32(address, 90).data;

const coin = (from, changes = {}) => ({
  chain: from.chain, ticker: from.ticker, address: from.address, contract_address: "", decimals: from.decimals,
  is_native_token: true, hex_public_key: toHex(from.publicKey), ...changes,
});

/** The chain's own part of a payload. */
function specific(from, fee, changes = {}) {
  const known = { account_number: from.accountNumber.toString(), sequence: from.sequence.toString() };
  if (from.chain === "THORChain") return { thorchain_specific: { ...known, fee: "2000000", ...changes } };
  if (from.chain === "MayaChain") return { maya_specific: { ...known, ...changes } };
  return { cosmos_specific: { ...known, gas: fee, ...changes } };
}

/** Has Wallet Core sign messages, and CosmJS check what came of it. */
function wallet(from, messages, { memo = "", fee, gas = from.gas, denom = from.denom }) {
  const input = Proto.SigningInput.create({
    signingMode: Proto.SigningMode.Protobuf,
    chainId: from.chainId,
    accountNumber: long(from.accountNumber),
    sequence: long(from.sequence),
    mode: Proto.BroadcastMode.SYNC,
    memo,
    messages,
    privateKey: from.secret,
    publicKey: from.publicKey,
    fee: { gas: long(gas), amounts: fee === undefined ? [] : [{ denom, amount: fee }] },
  });
  const type = vaultBased.has(from.chain) ? core.CoinType.thorchain : core.CoinType.cosmos;
  const output = Proto.SigningOutput.decode(core.AnySigner.sign(Proto.SigningInput.encode(input).finish(), type));
  assert.equal(output.errorMessage, "", from.name);
  const raw = fromBase64(JSON.parse(output.serialized).tx_bytes);
  return { raw, serialized: output.serialized, hash: verify(from, raw) };
}

/** The digest that the signature in `raw` covers, if it does. */
function verify(from, raw) {
  const { authInfo, signatures } = decodeTxRaw(raw);
  const { bodyBytes, authInfoBytes } = TxRaw.decode(raw);
  assert.deepEqual(authInfo.signerInfos[0].publicKey, encodePubkey(cosmKey(from)), from.name);
  const hash = sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber))));
  assert(Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(signatures[0]), hash, from.publicKey), from.name);
  return hash;
}

const cosmKey = (from) => ({ type: "tendermint/PubKeySecp256k1", value: toBase64(from.publicKey) });
const id = (raw) => toHex(sha256(raw)).toUpperCase();

const signed = [];
const hashed = [];

function golden(from, payload, { raw, hash, serialized }) {
  signed.push({
    name: from.name,
    private_key_hex: toHex(from.secret),
    curve: "secp256k1",
    keysign_payload_base64: encode(payload),
    expected: {
      imageHashes: [toHex(hash)],
      rawTransaction: serialized ?? JSON.stringify({ mode: "BROADCAST_MODE_SYNC", tx_bytes: toBase64(raw) }),
      transactionHash: id(raw),
    },
  });
}

// Payments, in the native coin and in others.
function send(name, chain, { amount, memo, gasLimit, token, feeDenom, to, swap }) {
  const from = signer(name, chain);
  const [feeAmount, value, target] = [sum(`${name} fee`, 20), amount ?? sum(name), to ?? receiver(name, from.hrp)];
  const denom = token?.contract_address ?? from.denom;
  const payload = {
    coin: coin(from, token),
    to_address: target,
    to_amount: value,
    ...specific(from, feeAmount, gasLimit === undefined ? {} : { gas_limit: gasLimit.toString() }),
    ...(memo === undefined ? {} : { memo }),
    ...(swap === undefined ? {} : swap(from, target, value)),
  };
  const message = vaultBased.has(chain)
    ? { thorchainSendMessage: { fromAddress: bytesOf(from.address), toAddress: bytesOf(target), amounts: [{ denom, amount: value }] } }
    : { sendCoinsMessage: { fromAddress: from.address, toAddress: target, amounts: [{ denom, amount: value }] } };
  const fee = vaultBased.has(chain) ? undefined : feeAmount;
  golden(from, payload, wallet(from, [message], { memo, fee, gas: gasLimit ?? from.gas, denom: feeDenom ?? from.denom }));
}

for (const chain of Object.keys(chains)) send(`${chain}_send`, chain, {});
send("cosmos_send_memo", "Cosmos", { memo: "Miete für März & mehr <1> ✓" });
send("cosmos_send_memo_empty", "Cosmos", { memo: "" });
send("cosmos_send_gas_limit", "Cosmos", { gasLimit: 345_678n });
send("dydx_send_more_than_64_bits", "Dydx", { amount: (2n ** 90n + 7n).toString() });
send("cosmos_send_most", "Cosmos", { amount: (2n ** 256n - 1n).toString() });
send("osmosis_send_ibc_denom", "Osmosis", {
  token: { ticker: "ATOM", is_native_token: false, contract_address: "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2" },
});
send("osmosis_send_factory_denom", "Osmosis", {
  token: { ticker: "X", is_native_token: false, contract_address: `factory/${contractOf("factory", "osmo")}/ux` },
});
send("terra_classic_send_ustc", "TerraClassic", {
  token: { ticker: "USTC", is_native_token: false, contract_address: "uusd" }, feeDenom: "uusd",
});
send("terra_classic_send_ibc_denom", "TerraClassic", {
  token: { ticker: "ATOM", is_native_token: false, contract_address: "ibc/18ABA66B791918D51D33415DA173632735D830E2E77E63C91C11D3008CFD5262" },
});
send("cosmos_swap_to_the_vault", "Cosmos", {
  memo: "=:BTC.BTC:bc1qznd5zwx4dghvlvggsx5muw2dnuepnpdj56kulr:100000/1/0:va:50",
  swap: (from, vault, value) => ({
    to_address: from.address, to_amount: "1",
    thorchain_swap_payload: { from_address: from.address, from_coin: coin(from), vault_address: vault, from_amount: value },
  }),
});
send("thorchain_send_memo", "THORChain", { memo: "helloworld" });
send("thorchain_send_tcy", "THORChain", { token: { ticker: "TCY", is_native_token: false, contract_address: "tcy" } });
send("thorchain_send_secured", "THORChain", { token: { ticker: "BTC", is_native_token: false, contract_address: "btc-btc" } });
send("thorchain_send_to_contract", "THORChain", { to: contractOf("thorchain_send_to_contract", "thor") });
send("thorchain_swap_over_maya", "THORChain", {
  memo: "=:c:maya18altpx2gwt4c4ejr5uzda4kyzsudyn9q5dhl9c:0/3/0:vi:0",
  swap: (from) => ({
    mayachain_swap_payload: { from_coin: coin(from), vault_address: receiver("another vault", "thor"), from_amount: "77" },
  }),
});
send("mayachain_send_memo", "MayaChain", { memo: "helloworld" });
send("mayachain_send_maya", "MayaChain", { token: { ticker: "MAYA", decimals: 4, is_native_token: false, contract_address: "maya" } });

// Terra's contract tokens.
for (const chain of ["Terra", "TerraClassic"]) {
  const name = `${chain}_send_cw20`;
  const from = signer(name, chain);
  const [fee, value, to, contract] = [sum(`${name} fee`, 20), sum(name), receiver(name, "terra"), contractOf(name, "terra")];
  const executeMsg = `{"transfer": { "amount": "${value}", "recipient": "${to}" } }`;
  const message = { wasmExecuteContractGeneric: { senderAddress: from.address, contractAddress: contract, executeMsg } };
  const token = coin(from, { ticker: "ANC", is_native_token: false, contract_address: contract });
  golden(from, { coin: token, to_address: to, to_amount: value, ...specific(from, fee) }, wallet(from, [message], { fee }));
}

// Over IBC.
function ibc(name, chain, { tail = "", token }) {
  const from = signer(name, chain);
  const [fee, value, to] = [sum(`${name} fee`, 20), sum(name), receiver(name, "juno")];
  const channel = `channel-${number(`${name} channel`, 12)}`;
  const timeout = 1_700_000_000_000_000_000n + number(`${name} timeout`, 56);
  const denom = token?.contract_address ?? from.denom;
  const message = {
    transferTokensMessage: {
      sourcePort: "transfer", sourceChannel: channel, sender: from.address, receiver: to, token: { denom, amount: value },
      timeoutHeight: { revisionNumber: long(0), revisionHeight: long(0) }, timeoutTimestamp: long(timeout),
    },
  };
  const traces = { ibc_denom_traces: { path: "", base_denom: "", latest_block: `32597414_${timeout}` } };
  const payload = {
    coin: coin(from, token), to_address: to, to_amount: value, memo: `Juno:${channel}:${to}${tail && `:${tail}`}`,
    ...specific(from, fee, { transaction_type: 3, ...traces }),
  };
  golden(from, payload, wallet(from, [message], { fee, memo: tail }));
}
for (const chain of ["Osmosis", "Cosmos", "Noble", "Kujira"]) ibc(`${chain}_ibc`, chain, {});
ibc("akash_ibc_memo", "Akash", { tail: "1234" });
ibc("akash_ibc_memo_with_colons", "Akash", { tail: "{\"forward\":{\"port\":\"transfer\"}}" });
ibc("osmosis_ibc_token", "Osmosis", {
  token: { ticker: "ATOM", is_native_token: false, contract_address: "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2" },
});

// Contracts.
function execute(name, chain, executeMsg, coins, { changes = { transaction_type: 8 }, memo } = {}) {
  const from = signer(name, chain);
  const [fee, contract] = [sum(`${name} fee`, 20), contractOf(name, from.hrp)];
  const message = {
    wasmExecuteContractGeneric: { senderAddress: from.address, contractAddress: contract, executeMsg, coins },
  };
  const payload = {
    coin: coin(from), to_address: contract, to_amount: coins[0]?.amount ?? "0", ...specific(from, fee, changes),
    ...(memo === undefined ? {} : { memo }),
  };
  if (changes.transaction_type === 8) {
    payload.wasm_execute_contract_payload = {
      sender_address: from.address, contract_address: contract, execute_msg: executeMsg, coins,
    };
  }
  golden(from, payload, wallet(from, [message], { fee: vaultBased.has(chain) ? undefined : fee, memo }));
}
execute("kujira_contract", "Kujira", "{\"bond\":{}}", [{ denom: "ukuji", amount: "1000000" }]);
execute("osmosis_contract_without_coins", "Osmosis", "{ \"withdraw\": { \"amount\": \"1000000\" } }", []);
execute("terra_contract_two_coins", "Terra", "{\"swap\":{\"x\":\"é\"}}", [
  { denom: "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", amount: "7" }, { denom: "uluna", amount: "8" },
], { memo: "two coins" });
execute("thorchain_contract", "THORChain", "{\"account\":{\"bond\":{}}}", [{ denom: "x/ruji", amount: "1000000" }], {
  changes: { transaction_type: 8, is_deposit: true }, memo: "bond:x/ruji:1000000",
});
execute("thorchain_contract_no_deposit", "THORChain", "{\"claim\":{}}", [], { memo: "" });
execute("thorchain_merge", "THORChain", "{ \"deposit\": {} }", [{ denom: "thor.kuji", amount: "123456" }], {
  changes: { transaction_type: 4, is_deposit: true }, memo: "merge:THOR.KUJI",
});
execute("thorchain_unmerge", "THORChain", "{ \"withdraw\": { \"share_amount\": \"654321\" } }", [], {
  changes: { transaction_type: 5, is_deposit: true }, memo: "unmerge:thor.kuji:654321",
});

// Deposits.
function deposit(name, chain, { memo, token, asset, amount = sum(name), own, is_deposit = true }) {
  const from = signer(name, chain);
  const held = coin(from, token);
  const deposited = { asset: { synth: false, ...asset }, ...(amount === "0" ? {} : { amount, decimals: long(held.decimals) }) };
  const message = { thorchainDepositMessage: { signer: bytesOf(from.address), memo, coins: [deposited] } };
  const payload = { coin: held, to_address: "", to_amount: amount, memo, ...specific(from, "", { is_deposit }) };
  if (own !== undefined) payload[own] = { from_address: from.address, from_coin: held, from_amount: amount };
  const txMemo = own === "thorchain_swap_payload" ? "" : memo;
  golden(from, payload, wallet(from, [message], { memo: txMemo }));
}
const RUNE = { chain: "THOR", symbol: "RUNE", ticker: "RUNE" };
const CACAO = { chain: "MAYA", symbol: "CACAO", ticker: "CACAO" };
deposit("thorchain_bond", "THORChain", { memo: `BOND:${receiver("node", "thor")}`, asset: RUNE });
deposit("thorchain_unbond_of_nothing", "THORChain", { memo: `UNBOND:${receiver("node", "thor")}:5000`, asset: RUNE, amount: "0" });
deposit("thorchain_stake_tcy", "THORChain", {
  memo: "tcy+", token: { ticker: "TCY", is_native_token: false, contract_address: "tcy" },
  asset: { chain: "THOR", symbol: "TCY", ticker: "TCY" },
});
deposit("thorchain_withdraw_secured", "THORChain", {
  memo: "secure-:0x86d526d6624AbC0178cF7296cD538Ecc080A95F1",
  token: { ticker: "USDC", is_native_token: false, decimals: 8, contract_address: "eth-usdc-0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" },
  asset: { chain: "ETH", symbol: "USDC-0XA0B86991C6218B36C1D19D4A2E9EB0CE3606EB48", ticker: "USDC", secured: true },
});
deposit("thorchain_add_ruji", "THORChain", {
  memo: "+:THOR.RUJI", token: { ticker: "x/ruji", is_native_token: false, contract_address: "x/ruji" },
  asset: { chain: "THOR", symbol: "RUJI", ticker: "RUJI" },
});
deposit("thorchain_swap", "THORChain", {
  memo: "=:BTC.BTC:bc1qznd5zwx4dghvlvggsx5muw2dnuepnpdj56kulr:12345/1/0:va:50", asset: RUNE,
  own: "thorchain_swap_payload", is_deposit: false,
});
deposit("thorchain_limit_order", "THORChain", {
  memo: "=<:DOGE.DOGE:D73NiBcVFv7VaRFp36yKHiUqRAgJ7zeYdc:2e9/2400/0:va:50", asset: RUNE, own: "thorchain_swap_payload",
});
deposit("thorchain_swap_secured", "THORChain", {
  memo: "=:r:thor18altpx2gwt4c4ejr5uzda4kyzsudyn9q56fnng", own: "thorchain_swap_payload", is_deposit: false,
  token: { ticker: "BTC", is_native_token: false, contract_address: "btc-btc" },
  asset: { chain: "BTC", symbol: "BTC", ticker: "BTC", secured: true },
});
deposit("mayachain_bond", "MayaChain", { memo: `BOND:ETH.ETH:100:${receiver("node", "maya")}`, asset: CACAO });
deposit("mayachain_swap", "MayaChain", { memo: "=:r:thor18altpx2gwt4c4ejr5uzda4kyzsudyn9q56fnng:0/3/0", asset: CACAO, own: "mayachain_swap_payload" });

// A vote.
{
  const from = signer("dydx_vote", "Dydx");
  const fee = sum("dydx_vote fee", 20);
  const message = { msgVote: { proposalId: long(42), voter: from.address, option: Proto.Message.VoteOption.NO_WITH_VETO } };
  const payload = {
    coin: coin(from), to_address: "", to_amount: "0", memo: "DYDX_VOTE:NO_WITH_VETO:42", ...specific(from, fee, { transaction_type: 1 }),
  };
  golden(from, payload, wallet(from, [message], { fee }));
}

// Messages as CosmJS writes them.
const value = (typeUrl, fields) => ({ typeUrl, value: fields });
const uint = (name, bits) => number(name, bits);
const messages = {
  send: (from) => value("/cosmos.bank.v1beta1.MsgSend", {
    fromAddress: from.address, toAddress: receiver(from.name, from.hrp),
    amount: [{ denom: "ibc/AB", amount: "12" }, { denom: from.denom, amount: sum(from.name) }],
  }),
  multi_send: (from) => value("/cosmos.bank.v1beta1.MsgMultiSend", {
    inputs: [{ address: from.address, coins: [{ denom: from.denom, amount: "5" }] }],
    outputs: [2, 3].map((part) => ({ address: receiver(`${from.name} ${part}`, from.hrp), coins: [{ denom: from.denom, amount: `${part}` }] })),
  }),
  delegate: (from) => value("/cosmos.staking.v1beta1.MsgDelegate", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  undelegate: (from) => value("/cosmos.staking.v1beta1.MsgUndelegate", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  redelegate: (from) => value("/cosmos.staking.v1beta1.MsgBeginRedelegate", {
    delegatorAddress: from.address, validatorSrcAddress: receiver("validator", `${from.hrp}valoper`),
    validatorDstAddress: receiver("second", `${from.hrp}valoper`), amount: { denom: from.denom, amount: sum(from.name) },
  }),
  reward: (from) => value("/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward", {
    delegatorAddress: from.address, validatorAddress: receiver("validator", `${from.hrp}valoper`),
  }),
  vote: (from) => value("/cosmos.gov.v1beta1.MsgVote", { proposalId: uint(from.name, 30), voter: from.address, option: 4 }),
  transfer: (from) => value("/ibc.applications.transfer.v1.MsgTransfer", {
    sourcePort: "transfer", sourceChannel: "channel-7", token: { denom: from.denom, amount: sum(from.name) }, sender: from.address,
    receiver: receiver(from.name, "juno"), timeoutHeight: { revisionNumber: 4n, revisionHeight: uint(from.name, 24) },
    timeoutTimestamp: 0n, memo: "{\"wasm\":{}}",
  }),
  execute: (from) => value("/cosmwasm.wasm.v1.MsgExecuteContract", {
    sender: from.address, contract: contractOf(from.name, from.hrp), msg: toUtf8(JSON.stringify({ swap: { min: "9", to: { a: 1 } } })),
    funds: [{ denom: from.denom, amount: sum(from.name) }],
  }),
  exec: (from) => value("/cosmos.authz.v1beta1.MsgExec", { grantee: from.address, msgs: [registry.encodeAsAny(messages.send(from))] }),
  thor_send: (from) => value("/types.MsgSend", {
    from_address: bytesOf(from.address), to_address: digest(`${from.name} receiver`).subarray(0, 20), amount: [{ denom: from.denom, amount: sum(from.name) }],
  }),
  thor_deposit: (from) => value("/types.MsgDeposit", {
    coins: [{ asset: { chain: "LTC", symbol: "LTC", ticker: "LTC", secured: true }, amount: sum(from.name) }],
    memo: "secure-:ltc1qc56q990vzj3a89d544dvj28grrpxqq0pw64hq4", signer: bytesOf(from.address),
  }),
};

function body(list, changes = {}) {
  return TxBody.encode(TxBody.fromPartial({ messages: list.map((message) => registry.encodeAsAny(message)), ...changes })).finish();
}

function authInfo(from, fee, { granter, mode, gas = 250_000 } = {}) {
  return makeAuthInfoBytes([{ pubkey: encodePubkey(cosmKey(from)), sequence: from.sequence }], fee, gas, granter, undefined, mode);
}

/** The signed bytes of a sign doc, by Wallet Core's key. */
function complete(from, bodyBytes, authInfoBytes, hash) {
  const signature = core.PrivateKey.createWithData(from.secret).sign(hash, core.Curve.secp256k1).slice(0, 64);
  assert(Secp256k1.verifySignature(Secp256k1Signature.fromFixedLength(signature), hash, from.publicKey), from.name);
  return { signature, raw: TxRaw.encode({ bodyBytes, authInfoBytes, signatures: [signature] }).finish() };
}

// sign_direct.
for (const [chain, kinds] of [
  ["Cosmos", ["delegate"]], ["Osmosis", ["reward", "reward", "delegate"]], ["Akash", ["redelegate"]], ["Dydx", ["exec"]],
  ["THORChain", ["thor_deposit"]], ["MayaChain", ["thor_send"]],
]) {
  const from = signer(`${chain}_sign_direct`, chain);
  const bodyBytes = body(kinds.map((kind) => messages[kind](from)), { memo: "by somebody else", timeoutHeight: uint(from.name, 24) });
  const authInfoBytes = authInfo(from, [{ denom: from.denom, amount: sum(from.name, 20) }]);
  const hash = sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber))));
  const sign_direct = {
    body_bytes: toBase64(bodyBytes), auth_info_bytes: toBase64(authInfoBytes), chain_id: from.chainId,
    account_number: from.accountNumber.toString(),
  };
  const payload = { coin: coin(from), to_address: "", to_amount: "0", ...specific(from, "0"), sign_direct };
  const { raw } = complete(from, bodyBytes, authInfoBytes, hash);
  golden(from, payload, { raw, hash: verify(from, raw) });
}

// sign_amino: CosmJS's own converters where it has them.
const thorSend = {
  aminoType: "thorchain/MsgSend",
  toAmino: ({ from_address, to_address, amount }) => ({ from_address: toBech32("thor", from_address), to_address: toBech32("thor", to_address), amount }),
  fromAmino: ({ from_address, to_address, amount }) => ({ from_address: bytesOf(from_address), to_address: bytesOf(to_address), amount }),
};
const wasmExecute = {
  aminoType: "wasm/MsgExecuteContract",
  toAmino: ({ sender, contract, msg, funds }) => ({ sender, contract, msg: JSON.parse(Buffer.from(msg)), funds }),
  fromAmino: ({ sender, contract, msg, funds }) => ({ sender, contract, msg: toUtf8(JSON.stringify(msg)), funds }),
};
const aminoTypes = new AminoTypes({
  ...createDefaultAminoConverters(), "/types.MsgSend": thorSend, "/cosmwasm.wasm.v1.MsgExecuteContract": wasmExecute,
});
for (const [name, chain, kinds, memo] of [
  ["amino_send", "Cosmos", ["send"], "a & b < c > d \" é"],
  ["amino_delegate", "Osmosis", ["delegate", "reward"], ""],
  ["amino_undelegate", "Akash", ["undelegate"], undefined],
  ["amino_redelegate", "Kujira", ["redelegate"], "x"],
  ["amino_vote", "Dydx", ["vote"], "x"],
  ["amino_transfer", "Noble", ["transfer"], "x"],
  ["amino_execute", "Terra", ["execute"], "x"],
  ["amino_thor_send", "THORChain", ["thor_send"], "x"],
]) {
  const from = signer(name, chain);
  const list = kinds.map((kind) => messages[kind](from));
  const msgs = list.map((message) => aminoTypes.toAmino(message));
  const stated = { amount: [{ denom: from.denom, amount: sum(name, 20) }], gas: "250000" };
  const doc = makeAminoDoc(msgs, stated, from.chainId, memo, from.accountNumber.toString(), from.sequence.toString());
  const hash = sha256(serializeSignDoc(doc));
  const bodyBytes = body(msgs.map((message) => aminoTypes.fromAmino(message)), { memo: memo ?? "" });
  const authInfoBytes = authInfo(from, stated.amount, { mode: SignMode.SIGN_MODE_LEGACY_AMINO_JSON });
  const payload = {
    coin: coin(from), to_address: "", to_amount: "0", ...specific(from, "0"), ...(memo === undefined ? {} : { memo }),
    sign_amino: { fee: stated, msgs: msgs.map((message) => ({ type: message.type, value: JSON.stringify(message.value) })) },
  };
  golden(from, payload, { ...complete(from, bodyBytes, authInfoBytes, hash), hash });
}

// QBTC: no key of it is here, so only what would be signed, as CosmJS writes it.
for (const memo of ["", "with a memo"]) {
  const name = `qbtc_send${memo && "_memo"}`;
  const key = createHash("shake256", { outputLength: 1312 }).update(name).digest();
  const address = toBech32("qbtc", createHash("ripemd160").update(sha256(key)).digest());
  const [account, sequence, fee, amount, to] = [number(name, 20), number(`${name} sequence`, 9), sum(`${name} fee`, 20), sum(name), receiver(name, "qbtc")];
  const pubkey = { typeUrl: "/cosmos.crypto.mldsa.PubKey", value: Buffer.concat([Buffer.from([0x0a, 0xa0, 0x0a]), key]) };
  const bodyBytes = body([value("/cosmos.bank.v1beta1.MsgSend", { fromAddress: address, toAddress: to, amount: [{ denom: "qbtc", amount }] })], { memo });
  const authInfoBytes = makeAuthInfoBytes([{ pubkey, sequence }], [{ denom: "qbtc", amount: fee }], 300_000, undefined, undefined);
  hashed.push({
    name, source: "CosmJS", chain: "QBTC",
    keysign_payload_base64: encode({
      coin: { chain: "QBTC", ticker: "QBTC", address, decimals: 8, is_native_token: true, hex_public_key: toHex(key) },
      to_address: to, to_amount: amount, memo,
      cosmos_specific: { account_number: account.toString(), sequence: sequence.toString(), gas: fee },
    }),
    expected_image_hashes: [toHex(sha256(makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, "qbtc", Number(account)))))],
  });
}

// Sign docs that others built.
const path = (chain) => `m/44'/${vaultBased.has(chain) ? 931 : chain.startsWith("Terra") ? 330 : 118}'/0'/0/0`;
const context = (chain) => ({ chain_id: chains[chain][1], derive_path: path(chain) });
const valid = [];
for (const [kind, chain, changes = {}] of [
  ["send", "Cosmos"], ["send", "Noble", { memo: "memo", timeoutHeight: 12_345_678n }], ["multi_send", "Kujira"], ["delegate", "Osmosis"],
  ["undelegate", "Dydx"], ["redelegate", "Akash"], ["reward", "Cosmos"], ["vote", "Terra"], ["transfer", "Osmosis"],
  ["execute", "TerraClassic"], ["exec", "Cosmos"], ["thor_send", "THORChain"], ["thor_deposit", "THORChain"], ["thor_send", "MayaChain"],
  ["send", "Akash", { granter: receiver("granter", "akash") }],
]) {
  const from = signer(`${chain} sign doc: ${kind} ${Object.keys(changes)}`.trim(), chain);
  const { granter, ...rest } = changes;
  const bodyBytes = body([messages[kind](from)], rest);
  const fee = sum(from.name, 20);
  const authInfoBytes = authInfo(from, [{ denom: from.denom, amount: fee }], { granter });
  const bytes = makeSignBytes(makeSignDoc(bodyBytes, authInfoBytes, from.chainId, Number(from.accountNumber)));
  const { signature, raw } = complete(from, bodyBytes, authInfoBytes, sha256(bytes));
  verify(from, raw);
  valid.push({
    name: from.name, kind: "cosmos", chain, signing_mode: "ecdsa_secp256k1", unsigned_tx_hex: `0x${toHex(bytes)}`,
    chain_context: context(chain), private_key_hex: toHex(from.secret), from: from.address,
    expected: {
      hash: toHex(sha256(bytes)), signature_hex: toHex(signature), tx_raw_base64: toBase64(raw), transaction_hash: id(raw),
      decoded: { sequence: from.sequence.toString(), gas_limit: "250000", sender: from.address, fee },
    },
  });
}

// What must be refused. The account is the one of the private key 1.
const malformed = [];
const one = Buffer.alloc(32);
one[31] = 1;
function refuse(name, expected_error, change = {}) {
  const chain = change.chain ?? "Cosmos";
  const from = signer(`refused ${name}`, chain, one);
  const list = change.messages?.(from) ?? [messages.send(from)];
  const bodyBytes = Buffer.concat([body(list), change.afterBody ?? Buffer.alloc(0)]);
  const fee = [{ denom: from.denom, amount: "1" }];
  const auth = change.authInfo?.(from, fee) ?? authInfo(from, fee);
  const doc = makeSignDoc(bodyBytes, Buffer.concat([auth, change.afterAuth ?? Buffer.alloc(0)]), change.chainId ?? from.chainId, 7);
  const bytes = Buffer.from(makeSignBytes(doc));
  malformed.push({
    name, kind: "cosmos", chain, signing_mode: change.mode ?? "ecdsa_secp256k1",
    unsigned_tx_hex: `0x${(change.bytes?.(bytes) ?? bytes).toString("hex")}`,
    chain_context: change.context ?? context(chain), from: from.address, expect: "refuse", expected_error,
  });
}
const other = signer("somebody else", "Cosmos");
const multisig = (from, fee) => {
  const decoded = AuthInfo.decode(authInfo(from, fee));
  return AuthInfo.encode({ ...decoded, signerInfos: [decoded.signerInfos[0], decoded.signerInfos[0]] }).finish();
};
refuse("another chain's id", "chain_mismatch", { chainId: "osmosis-1" });
refuse("another chain's id in the context", "chain_mismatch", { context: { chain_id: "cosmoshub-3" } });
refuse("the other signature scheme", "signing_mode_mismatch", { mode: "eddsa_ed25519" });
refuse("another path", "malformed", { context: { chain_id: "cosmoshub-4", derive_path: "m/44'/60'/0'/0/0" } });
refuse("another sender", "not_owned", { messages: () => [messages.send(other)] });
refuse("another sender in the second message", "not_owned", { messages: (from) => [messages.send(from), messages.reward(other)] });
refuse("another key", "not_owned", { authInfo: (from, fee) => authInfo(other, fee) });
refuse("another account of THORChain", "not_owned", { chain: "THORChain", messages: () => [messages.thor_deposit(signer("x", "THORChain"))] });
refuse("two signers", "malformed", { authInfo: multisig });
refuse("amino mode", "unsupported_tx_type", { authInfo: (from, fee) => authInfo(from, fee, { mode: SignMode.SIGN_MODE_LEGACY_AMINO_JSON }) });
refuse("no messages", "missing_field", { messages: () => [] });
refuse("a field of the body that nobody knows", "malformed", { afterBody: Buffer.from([0x30, 1]) });
refuse("a field of the signer's part that nobody knows", "malformed", { afterAuth: Buffer.from([0x1a, 0]) });
refuse("a byte behind the end", "malformed", { bytes: (bytes) => Buffer.concat([bytes, Buffer.from([0])]) });
refuse("a byte too few", "malformed", { bytes: (bytes) => bytes.subarray(0, -1) });
refuse("an account number in a longer form", "malformed", { bytes: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([0x87, 0])]) });
refuse("two account numbers", "malformed", { bytes: (bytes) => Buffer.concat([bytes, Buffer.from([0x20, 7])]) });
refuse("nothing", "malformed", { bytes: () => Buffer.alloc(0) });

write("cosmos", "signed-tx-golden.json", signed);
write("cosmos", "keysign-payload-base64.json", hashed);
write("cosmos", "unsigned-tx.json", { valid, malformed });
console.log(`${signed.length} signed payloads, ${hashed.length} hashed, ${valid.length} sign docs, ${malformed.length} refused`);
