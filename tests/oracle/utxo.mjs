// Bitcoin and its likes. Payments are planned and signed by Wallet Core; PSBTs and what is made of them are signed by
// bitcoinjs-lib. A payment's digests are computed again by bitcoinjs-lib (Bitcoin, Litecoin, Dogecoin, Dash) or by
// BitGo's utxo-lib (Bitcoin Cash, Zcash); where two do not agree, nothing is written.
import { write } from "./payload.mjs";
import { builtByOthers, shared } from "./utxo/payloads.mjs";
import { payments } from "./utxo/payments.mjs";
import { raws } from "./utxo/psbts.mjs";

write("utxo", "signed-tx-golden.json", [...payments(), ...builtByOthers()]);
write("utxo", "unsigned-tx.json", raws());
write("utxo", "keysign-payload-base64.json", [shared()]);
