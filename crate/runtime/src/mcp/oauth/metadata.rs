//! The two documents: of a protected resource (RFC 9728) and of an authorization server (RFC 8414, OpenID Connect
//! Discovery). Fields that are not used are not looked at.

use super::address::Address;
use super::{AuthError, scope};
use serde_json::{Map, Value};

/// The most authorization servers of a resource that are looked at.
const MAX_SERVERS: usize = 3;

/// What a resource says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resource {
    /// Its name, as it stands there: tokens are asked for by exactly this.
    pub(super) name: String,
    /// Its authorization servers.
    pub(super) servers: Vec<String>,
    /// What tokens can be good for.
    pub(super) scopes: Vec<String>,
}

impl Resource {
    /// Reads the document that is said to be about a server.
    pub(super) fn read(fields: &Map<String, Value>, server: &Address<'_>) -> Result<Self, AuthError> {
        let name = text(fields, "resource").ok_or(AuthError::WrongResource)?;
        if !Address::parse(name).is_some_and(|resource| resource.covers(server)) {
            return Err(AuthError::WrongResource);
        }
        let servers = texts(fields, "authorization_servers").unwrap_or_default();
        Ok(Self {
            name: name.to_owned(),
            servers: servers.into_iter().take(MAX_SERVERS).map(str::to_owned).collect(),
            scopes: scopes(fields),
        })
    }
}

/// What an authorization server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Metadata {
    /// Its name.
    pub(super) issuer: String,
    /// Where the user decides.
    pub(super) authorization_endpoint: String,
    /// Where codes become tokens.
    pub(super) token_endpoint: String,
    /// Where clients register, if they can.
    pub(super) registration_endpoint: Option<String>,
    /// What tokens can be good for.
    pub(super) scopes: Vec<String>,
    /// How clients prove who they are; `None` if that is not said.
    pub(super) proofs: Option<Vec<String>>,
    /// Whether a client's id may be the address of its metadata.
    pub(super) reads_client_metadata: bool,
    /// Whether it says with every answer which server it is.
    pub(super) tells_issuer: bool,
}

impl Metadata {
    /// Reads the document that is said to be of an issuer. `needs_s256` if it must say that it knows `S256`; what says that
    /// it does not is refused anyway.
    pub(super) fn read(
        fields: &Map<String, Value>,
        issuers: &[&str],
        (server, needs_s256): (&Address<'_>, bool),
    ) -> Result<Self, AuthError> {
        let issuer = text(fields, "issuer").filter(|issuer| issuers.contains(issuer));
        let issuer = issuer.ok_or(AuthError::WrongIssuer)?.to_owned();
        let lists = |name: &str, what: &str| texts(fields, name).map(|list| list.contains(&what));
        if lists("response_types_supported", "code") == Some(false)
            || lists("grant_types_supported", "authorization_code") == Some(false)
        {
            return Err(AuthError::NotSupported { what: "authorization codes" });
        }
        if lists("code_challenge_methods_supported", "S256").is_none_or(|listed| !listed)
            && (needs_s256 || fields.contains_key("code_challenge_methods_supported"))
        {
            return Err(AuthError::NotSupported { what: "PKCE with S256" });
        }
        let endpoint = |name: &str, what: &'static str| match text(fields, name) {
            Some(text) => match Address::parse(text).filter(|address| address.may_follow(server)) {
                Some(address) => Ok(Some(address.text().to_owned())),
                None => Err(AuthError::AddressRefused { what }),
            },
            None => Ok(None),
        };
        let missing = || AuthError::NotSupported { what: "authorization codes" };
        let flag = |name: &str| fields.get(name) == Some(&Value::Bool(true));
        let words = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        Ok(Self {
            issuer,
            authorization_endpoint: endpoint(
                "authorization_endpoint",
                "the page of the authorization server",
            )?
            .ok_or_else(missing)?,
            token_endpoint: endpoint("token_endpoint", "the source of tokens")?.ok_or_else(missing)?,
            registration_endpoint: endpoint("registration_endpoint", "the registration of clients")?,
            scopes: scopes(fields),
            proofs: texts(fields, "token_endpoint_auth_methods_supported").map(words),
            reads_client_metadata: flag("client_id_metadata_document_supported"),
            tells_issuer: flag("authorization_response_iss_parameter_supported"),
        })
    }

    /// What is assumed of a server of 2025-03-26 that has no metadata: the usual paths of its origin.
    pub(super) fn usual(server: &Address<'_>) -> Self {
        let at = |path: &str| [server.origin(), path].concat();
        Self {
            issuer: server.origin().to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: Some(at("/register")),
            scopes: Vec::new(),
            proofs: None,
            reads_client_metadata: false,
            tells_issuer: false,
        }
    }

    /// Whether clients may prove who they are in this way. A server that does not say takes `client_secret_basic` (RFC 8414
    /// §2).
    pub(super) fn takes(&self, proof: &str) -> bool {
        match &self.proofs {
            Some(proofs) => proofs.iter().any(|known| known == proof),
            None => proof == "client_secret_basic",
        }
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

/// The texts of a list; `None` if there is no list.
fn texts<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<Vec<&'a str>> {
    let list = fields.get(name)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}

fn scopes(fields: &Map<String, Value>) -> Vec<String> {
    scope::union(&[], texts(fields, "scopes_supported").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const ISSUER: &str = "https://auth.example";

    fn document(changes: Value) -> Map<String, Value> {
        let mut fields = json!({
            "issuer": ISSUER,
            "authorization_endpoint": "https://auth.example/authorize?a=b",
            "token_endpoint": "https://tokens.example/token",
            "code_challenge_methods_supported": ["plain", "S256"],
        });
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(fields.as_object_mut().unwrap().remove(name)),
                value => fields[name] = value.clone(),
            }
        }
        fields.as_object().unwrap().clone()
    }

    fn read(changes: Value, needs_s256: bool) -> Result<Metadata, AuthError> {
        let server = Address::parse("https://mcp.example/mcp").unwrap();
        Metadata::read(&document(changes), &[ISSUER], (&server, needs_s256))
    }

    #[test]
    fn issuers_are_compared_by_characters() {
        assert!(read(json!({}), true).is_ok());
        for issuer in [
            "https://auth.example/",
            "https://AUTH.example",
            "https://auth.example:443",
            "https://evil.example",
            "",
        ] {
            assert_eq!(read(json!({"issuer": issuer}), true), Err(AuthError::WrongIssuer), "{issuer}");
        }
        assert_eq!(read(json!({"issuer": null}), true), Err(AuthError::WrongIssuer));
    }

    #[test]
    fn pkce_is_not_given_up() {
        let pkce = Err(AuthError::NotSupported { what: "PKCE with S256" });
        for methods in [json!(["plain"]), json!([]), json!("S256"), json!({"S256": true})] {
            for needs in [false, true] {
                let changes = json!({"code_challenge_methods_supported": methods});
                assert_eq!(read(changes, needs), pkce, "{methods} {needs}");
            }
        }
        assert_eq!(read(json!({"code_challenge_methods_supported": null}), true), pkce);
        assert!(read(json!({"code_challenge_methods_supported": null}), false).is_ok());
    }

    #[test]
    fn endpoints_are_addresses_that_may_be_followed() {
        for name in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
            for url in [
                "javascript:alert(1)",
                "http://auth.example/x",
                "http://127.0.0.1/x",
                "https://192.168.0.1/x",
                "https://u@auth.example/x",
                "/relative",
                "",
            ] {
                let refused = read(json!({name: url}), true);
                assert!(matches!(refused, Err(AuthError::AddressRefused { .. })), "{name} {url} {refused:?}");
            }
        }
        for name in ["authorization_endpoint", "token_endpoint"] {
            let refused = read(json!({name: null}), true);
            assert_eq!(refused, Err(AuthError::NotSupported { what: "authorization codes" }));
        }
        for changes in [json!({"response_types_supported": ["token"]}), json!({"grant_types_supported": []})]
        {
            assert_eq!(read(changes, true), Err(AuthError::NotSupported { what: "authorization codes" }));
        }
    }

    #[test]
    fn resources_are_the_server() {
        let server = Address::parse("https://mcp.example/mcp").unwrap();
        let read = |fields: Value| Resource::read(fields.as_object().unwrap(), &server);
        let named = |name: &str| read(json!({"resource": name, "authorization_servers": [1, ISSUER]}));
        let resource = named("https://mcp.example").unwrap();
        assert_eq!(
            (resource.name.as_str(), resource.servers),
            ("https://mcp.example", vec![ISSUER.to_owned()])
        );
        for other in [
            "https://evil.example/mcp",
            "https://mcp.example/other",
            "mcp.example",
            "https://mcp.example/mcp#x",
        ] {
            assert_eq!(named(other), Err(AuthError::WrongResource), "{other}");
        }
        assert_eq!(read(json!({})), Err(AuthError::WrongResource));
    }

    proptest! {
        /// No document makes it panic, and what is read has checked addresses.
        #[test]
        fn any_document_is_read(texts in proptest::collection::vec("(https?://)?[a-z.:/@#\\\\-]{0,20}", 4)) {
            let fields = json!({
                "issuer": texts[0], "authorization_endpoint": texts[1], "token_endpoint": texts[2],
                "registration_endpoint": texts[3], "code_challenge_methods_supported": ["S256"],
            });
            let server = Address::parse("https://mcp.example/mcp").unwrap();
            let issuers = [texts[0].as_str()];
            if let Ok(metadata) = Metadata::read(fields.as_object().unwrap(), &issuers, (&server, true)) {
                prop_assert!(metadata.token_endpoint.starts_with("https://"));
                prop_assert!(Address::parse(&metadata.authorization_endpoint).is_some());
            }
        }
    }
}
