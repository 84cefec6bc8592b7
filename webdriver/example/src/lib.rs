//! A dapp is its page, in `dapp/`; its tests are in `tests/`. `docs/webdriver.md` is about both.
