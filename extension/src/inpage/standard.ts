// A wallet of the Wallet Standard: one for each family of chains, because pages take the first account of a wallet.

import { request, watch } from "./channel";
import { Emitter, type Listener } from "./emitter";
import { call, copyOf, fire, freeze, fromHex, isArray, keys, listen, SafeEvent, defineProperty } from "./safe";
import { sameAddresses, type PageState, type StandardAccount } from "./state";

export type Feature = Readonly<Record<string, unknown>>;

/** What differs between families. */
export interface Family {
  readonly name: "solana" | "sui";
  readonly chains: readonly string[];
  /** Features that sign, by their names. */
  features(connect: Connect): Readonly<Record<string, Feature>>;
}

export type Connect = () => Promise<{ readonly accounts: readonly StandardAccountView[] }>;

/** An account as pages see it. */
export interface StandardAccountView {
  readonly address: string;
}

type Register = (wallet: unknown) => void;

/** Most pages are none of the family's: the wallet is made when a page asks for it. */
export function startStandard(icon: string, family: Family): void {
  let wallet: object | undefined;
  register(() => (wallet ??= walletOf(icon, family)));
}

function walletOf(icon: string, family: Family): object {
  const emitter = new Emitter();
  const chains = freeze(family.chains);
  let known: readonly StandardAccount[] = [];
  let accounts: readonly StandardAccountView[] = freeze([]);
  let isFirst = true;

  const accountOf = ({ address, publicKey }: StandardAccount): StandardAccountView => {
    const bytes = fromHex(publicKey);
    return freeze({
      address,
      get publicKey() {
        return copyOf(bytes);
      },
      chains,
      features: names,
    });
  };

  function accountsOf(given: readonly StandardAccount[]): readonly StandardAccountView[] {
    const all: StandardAccountView[] = [];
    for (let i = 0; i < given.length; i++) all[i] = accountOf(given[i] as StandardAccount);
    return freeze(all);
  }

  /** Takes the accounts over, and says so if they changed. */
  function take(given: readonly StandardAccount[]): void {
    if (sameAddresses(known, given)) return;
    known = given;
    accounts = accountsOf(given);
    emitter.emit("change", { accounts });
  }

  async function connect(input?: { silent?: boolean }): Promise<{ accounts: readonly StandardAccountView[] }> {
    const params = { silent: input?.silent === true };
    const result = (await request(`${family.name}_connect`, params)) as { accounts: readonly StandardAccount[] };
    take(isArray(result) ? (result as readonly StandardAccount[]) : result.accounts);
    return { accounts };
  }

  async function disconnect(): Promise<void> {
    await request(`${family.name}_disconnect`, {});
    take([]);
  }

  function on(name: string, listener: Listener): () => void {
    emitter.add(name, listener);
    return () => emitter.remove(name, listener);
  }

  const signing = family.features(connect);
  const names = freeze(keys(signing));
  const features = freeze({
    "standard:connect": freeze({ version: "1.0.0", connect }),
    "standard:disconnect": freeze({ version: "1.0.0", disconnect }),
    "standard:events": freeze({ version: "1.0.0", on }),
    ...signing,
  });
  const wallet = freeze({
    version: "1.0.0",
    name: "Countersign",
    icon,
    chains,
    features,
    get accounts() {
      return accounts;
    },
  });

  watch((state: PageState | null) => {
    // Before a page asked to connect it has no accounts, also if it is let in: the first state changes nothing.
    if (isFirst && state && known.length === 0) isFirst = false;
    else take(state?.[family.name] ?? []);
  });
  return wallet;
}

/** In either order: the page may have been ready before us, or becomes so later. */
function register(wallet: () => object): void {
  const callback = (api: { register: Register }): void => call(api.register as (...args: never[]) => unknown, [wallet()]);
  const event = new SafeEvent("wallet-standard:register-wallet");
  defineProperty(event, "detail", { value: callback });
  fire(event);
  listen("wallet-standard:app-ready", (ready) => {
    try {
      callback((ready as CustomEvent<{ register: Register }>).detail);
    } catch {
      // An event that is not of the standard.
    }
  });
}
