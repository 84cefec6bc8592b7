/** The phrase of both sides' vaults. */
export const WORDS = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
