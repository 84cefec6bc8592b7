// A Cosmos chain without a node, as none can be run here. CosmJS decodes the transactions and checks their signatures;
// accounts, sequences and balances are ours: `ledger.mjs` says which of a chain's rules are implemented.
import { Ledger } from "./cosmos/ledger.mjs";
import { read } from "./cosmos/transaction.mjs";
import { listen } from "./http.mjs";
import { serve } from "./lines.mjs";

let ledger;

const commands = {
  start: async ({ chain_id, hrp }) => {
    ledger = new Ledger({ chain_id, hrp });
    return { url: await listen((request) => ledger.answer(request)) };
  },
  automine: ({ on }) => ((ledger.automine = on), {}),
  mine: () => (ledger.mine(), {}),
  transactions: () => ({ transactions: ledger.transactions }),
  fund: ({ address, denom, amount }) => ledger.fund(address, denom, BigInt(amount)),
  account: ({ address }) => ledger.account(address),
};

await serve(({ command, ...question }) => (command ? commands[command](question) : read(question)));
