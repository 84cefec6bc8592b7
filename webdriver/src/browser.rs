//! A Chromium with the extension, driven by its own ChromeDriver.

use crate::processes::Processes;
use crate::{Compilation, Error, Page, Popup};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How the browser is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The unpacked extension.
    pub extension: PathBuf,
    /// Without a display.
    pub headless: bool,
    /// The profile folder to use and keep; `None` makes one that is deleted with the browser.
    pub profile: Option<PathBuf>,
    /// Width and height of the window.
    pub window: (u32, u32),
    /// Whether pages see a user who prefers dark colours.
    pub dark: bool,
    /// The language of the browser, such as `de`; `None` leaves it to the system.
    pub language: Option<String>,
    /// Other unpacked extensions, loaded beside it; their ids are [`extension_id`] of their folders.
    pub beside: Vec<PathBuf>,
    /// V8 prints which functions of wasm modules it compiles: [`Browser::compilations`].
    pub traces_compilation: bool,
}

impl Options {
    /// Headless, with a temporary profile, in light colours.
    pub fn new(extension: impl Into<PathBuf>) -> Self {
        Self {
            extension: extension.into(),
            headless: true,
            profile: None,
            window: (1000, 800),
            dark: false,
            language: None,
            beside: Vec::new(),
            traces_compilation: false,
        }
    }

    /// The built extension, as `cargo xtask test` names it in `COUNTERSIGN_EXTENSION`.
    pub fn from_env() -> Result<Self, Error> {
        let folder = std::env::var_os("COUNTERSIGN_EXTENSION").ok_or_else(|| {
            Error::Input(
                "COUNTERSIGN_EXTENSION does not name the built extension (`cargo xtask build` makes dist/extension)"
                    .to_owned(),
            )
        })?;
        Ok(Self::new(folder))
    }

    /// The extension that `COUNTERSIGN_EXTENSION` names, or else the one that `cargo xtask build` made beside this library.
    pub fn built() -> Result<Self, Error> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/extension");
        match Self::from_env() {
            Err(_) if beside.is_dir() => Ok(Self::new(beside)),
            found => found,
        }
    }
}

/// A running browser. Dropping it ends the browser and its driver, also when a test fails.
pub struct Browser {
    options: Options,
    extension_id: String,
    profile: PathBuf,
    /// Present while it runs; absent between the two halves of a restart.
    session: Option<Session>,
    /// The browser while no driver is attached to it.
    alone: Option<Processes>,
    /// Deletes the profile after `session` has ended the browser that writes into it.
    _temporary: Option<TempDir>,
}

/// One run of the browser.
struct Session {
    /// Dropped before the client, whose own drop would ask the browser to close normally.
    processes: Processes,
    client: Client,
    /// `127.0.0.1:<port>` of its DevTools.
    debugger: String,
}

impl Browser {
    /// Starts the driver and the browser with the extension in it.
    pub async fn launch(options: Options) -> Result<Self, Error> {
        let extension = options.extension.canonicalize().map_err(|error| {
            Error::Input(format!(
                "there is no extension at {} ({error}); `cargo xtask build` makes it",
                options.extension.display()
            ))
        })?;
        let (profile, temporary) = match &options.profile {
            Some(profile) => (std::path::absolute(profile)?, None),
            None => {
                let folder = tempfile::Builder::new().prefix("countersign-profile-").tempdir()?;
                (folder.path().to_path_buf(), Some(folder))
            }
        };
        let extension_id = extension_id(&extension);
        let options = Options { extension, ..options };
        let session = start(&options, &profile).await?;
        Ok(Self {
            options,
            extension_id,
            profile,
            session: Some(session),
            alone: None,
            _temporary: temporary,
        })
    }

    /// Closes the browser normally and starts it again with the same profile. Open pages are gone.
    pub async fn restart(&mut self) -> Result<(), Error> {
        self.end().await?;
        self.session = Some(start(&self.options, &self.profile).await?);
        Ok(())
    }

    /// Closes the browser normally. Its profile exists until `self` is dropped.
    pub async fn end(&mut self) -> Result<(), Error> {
        if let Some(session) = self.session.take() {
            // Closing the session lets the browser flush its data; the drop does the rest.
            session.client.clone().close().await.map_err(Error::command("close the session"))?;
        }
        Ok(())
    }

    /// Closes the browser normally and starts it again with the same profile and no driver attached: the only way to
    /// see the browser stop an idle worker. [`Browser::crash`] ends this and attaches again.
    pub async fn leave_alone(&mut self) -> Result<(), Error> {
        self.end().await?;
        let mut command = tokio::process::Command::new("chromium");
        command.args(arguments(&self.options, &self.profile)).arg("about:blank");
        self.alone = Some(Processes::of(command, &self.profile)?);
        Ok(())
    }

    /// Kills the browser without notice, as a power cut would, and starts it again with the same profile.
    pub async fn crash(&mut self) -> Result<(), Error> {
        drop(self.alone.take());
        drop(self.session.take());
        self.session = Some(start(&self.options, &self.profile).await?);
        Ok(())
    }

    /// The extension's id, which Chromium derives from the folder's path.
    pub fn extension_id(&self) -> &str {
        &self.extension_id
    }

    /// The URL of one of the extension's files.
    pub fn extension_url(&self, path: &str) -> String {
        format!("chrome-extension://{}/{}", self.extension_id, path.trim_start_matches('/'))
    }

    /// The profile folder.
    pub fn profile(&self) -> &Path {
        &self.profile
    }

    /// The folder of downloads.
    pub fn downloads(&self) -> PathBuf {
        downloads(&self.profile)
    }

    /// Opens a URL in a new tab.
    pub async fn open(&self, url: &str) -> Result<Page, Error> {
        Page::open(self.client()?.clone(), true, url, self.options.dark).await
    }

    /// Opens a URL in a new window. Unlike two tabs, two windows are both visible.
    pub async fn open_window(&self, url: &str) -> Result<Page, Error> {
        Page::open(self.client()?.clone(), false, url, self.options.dark).await
    }

    /// All tabs and windows with their URLs.
    pub async fn pages(&self) -> Result<Vec<(String, Page)>, Error> {
        let client = self.client()?;
        let windows = client.windows().await.map_err(Error::command("list the windows"))?;
        let mut pages = Vec::new();
        for window in windows {
            let page = Page::of(client.clone(), window);
            // A window that was closed meanwhile is skipped.
            if let Ok(url) = page.url().await {
                pages.push((url, page));
            }
        }
        Ok(pages)
    }

    /// Opens the popup as a tab, and waits until the worker serves it.
    pub async fn popup(&self) -> Result<Popup, Error> {
        Popup::new(self.open(&self.extension_url("popup.html")).await?).await
    }

    /// The functions of wasm modules that V8 compiled since the last call, in all processes, oldest first. Needs
    /// [`Options::traces_compilation`].
    pub fn compilations(&self) -> Result<Vec<Compilation>, Error> {
        let printed = self.running()?.processes.take_printed();
        Ok(printed.iter().filter_map(|line| Compilation::parse(line)).collect())
    }

    pub(crate) fn client(&self) -> Result<&Client, Error> {
        Ok(&self.running()?.client)
    }

    pub(crate) fn debugger(&self) -> Result<&str, Error> {
        Ok(&self.running()?.debugger)
    }

    fn running(&self) -> Result<&Session, Error> {
        self.session
            .as_ref()
            .ok_or_else(|| Error::Start("the browser did not come back from a restart".to_owned()))
    }
}

/// The id that Chromium gives to an unpacked extension in this folder, which must be an absolute path without links: the
/// first 16 bytes of the path's SHA-256 in hexadecimal, with the digits 0–f written a–p.
pub fn extension_id(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let digits = digest.iter().take(16).flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b'a' + digit)).collect()
}

async fn start(options: &Options, profile: &Path) -> Result<Session, Error> {
    let (processes, port) = Processes::start(profile, options.traces_compilation).await?;

    let Value::Object(capabilities) = capabilities(options, profile) else {
        return Err(Error::Input("capabilities are an object".to_owned()));
    };
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(capabilities)
        .connect(&format!("http://127.0.0.1:{port}"))
        .await
        .map_err(|error| Error::Start(format!("Chromium did not start: {error}")))?;

    let given = client.capabilities().cloned().unwrap_or_default();
    let debugger = given
        .get("goog:chromeOptions")
        .and_then(|options| options.get("debuggerAddress"))
        .and_then(Value::as_str)
        .map(|address| address.replace("localhost", "127.0.0.1"))
        .ok_or_else(|| Error::Start("the driver did not name the browser's debugger".to_owned()))?;
    Ok(Session { client, debugger, processes })
}

fn capabilities(options: &Options, profile: &Path) -> Value {
    json!({
        "browserName": "chrome",
        "goog:chromeOptions": {
            "args": arguments(options, profile),
            "prefs": { "download.default_directory": downloads(profile) },
            // Also the windows that the worker opens.
            "enableExtensionTargets": true,
        },
        // Long enough for a bench; tests have their own timeouts.
        "timeouts": { "script": 600_000, "pageLoad": 60_000 },
    })
}

fn downloads(profile: &Path) -> PathBuf {
    profile.join("Downloads")
}

fn arguments(options: &Options, profile: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-features=DisableLoadExtensionCommandLineSwitch",
    ]
    .map(str::to_owned)
    .to_vec();
    if options.headless {
        arguments.push("--headless=new".to_owned());
    }
    if let Some(language) = &options.language {
        arguments.push(format!("--lang={language}"));
    }
    if options.traces_compilation {
        arguments.push("--js-flags=--trace-wasm-compilation-times".to_owned());
    }
    arguments.push(format!("--window-size={},{}", options.window.0, options.window.1));
    let folders = std::iter::once(&options.extension).chain(&options.beside);
    let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
    arguments.push(format!("--load-extension={}", folders.join(",")));
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments
}

#[cfg(test)]
mod tests {
    use super::extension_id;
    use std::path::Path;

    #[test]
    fn id_is_derived_from_the_path() {
        // The digest of "/" begins 8a5edab2 82632443 219e051e 4ade2d1d.
        assert_eq!(extension_id(Path::new("/")), "ikfonklcicgdceedcbjoafboeknocnbn");
    }
}
