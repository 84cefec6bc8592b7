// Keysign payloads that Wallet Core builds itself.
import {
  bytesOf, chains, coin, contractOf, golden, long, number, Proto, receiver, signer, specific, sum, vaultBased, wallet,
} from "./common.mjs";

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
