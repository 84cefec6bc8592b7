//! Finds out how to sign in to a server: its own metadata, then those of an authorization server that they name.

use super::address::Address;
use super::fetch::{Fetch, Fetched};
use super::metadata::{Metadata, Resource};
use super::{AuthError, ServerAuth};

const RESOURCE: &str = "oauth-protected-resource";
const OAUTH: &str = "oauth-authorization-server";
const OPENID: &str = "openid-configuration";

/// The revisions that do not ask authorization servers to say that they know `S256`.
const BEFORE_S256: [&str; 3] = ["2024-11-05", "2025-03-26", "2025-06-18"];

/// How to sign in to a server.
pub(super) struct Discovered {
    /// What tokens are asked for (RFC 8707).
    pub(super) resource: String,
    /// What tokens of the server can be good for.
    pub(super) scopes: Vec<String>,
    /// Its authorization server.
    pub(super) metadata: Metadata,
}

/// How to sign in to a server. `hint` is where its challenge says that its metadata are, `known` the authorization server of
/// the last sign-in, which is taken again if it is still named.
pub(super) async fn discover(
    fetch: &Fetch<'_>,
    server: &ServerAuth,
    (hint, known): (Option<&str>, Option<&str>),
) -> Result<Discovered, AuthError> {
    let address = server_address(server)?;
    let Some(resource) = resource(fetch, &address, hint).await? else {
        let metadata = of_origin(fetch, &address).await?;
        return Ok(Discovered { resource: server.url.clone(), scopes: Vec::new(), metadata });
    };
    // The field is optional (RFC 9728 §2).
    if resource.servers.is_empty() {
        let metadata = of_origin(fetch, &address).await?;
        return Ok(Discovered { resource: resource.name, scopes: resource.scopes, metadata });
    }
    let is_known = |issuer: &&String| Some(issuer.as_str()) == known;
    let servers = resource.servers.iter();
    let in_order = servers.clone().filter(is_known).chain(servers.filter(|issuer| !is_known(issuer)));
    let mut refused = AuthError::NoMetadata { origin: address.origin().to_owned() };
    let mut is_first = true;
    let older = server.protocol_version.as_deref().is_some_and(|version| BEFORE_S256.contains(&version));
    for issuer in in_order {
        match of_issuer(fetch, issuer, (&address, !older)).await {
            Ok(metadata) => {
                return Ok(Discovered { resource: resource.name, scopes: resource.scopes, metadata });
            }
            Err(error) if is_first => refused = error,
            Err(_) => {}
        }
        is_first = false;
    }
    Err(refused)
}

/// The origins of the authorization servers that a server names; its own if it names none.
pub(super) async fn origins(
    fetch: &Fetch<'_>,
    server: &ServerAuth,
    hint: Option<&str>,
) -> Result<Vec<String>, AuthError> {
    let address = server_address(server)?;
    let Some(resource) = resource(fetch, &address, hint).await? else {
        return Ok(vec![address.origin().to_owned()]);
    };
    let mut origins = Vec::new();
    for issuer in resource.servers.iter().filter_map(|issuer| Address::parse(issuer)) {
        if issuer.may_follow(&address) && !origins.iter().any(|known| known == issuer.origin()) {
            origins.push(issuer.origin().to_owned());
        }
    }
    Ok(origins)
}

fn server_address(server: &ServerAuth) -> Result<Address<'_>, AuthError> {
    Address::parse(&server.url).ok_or(AuthError::AddressRefused { what: "the server" })
}

/// The server's own metadata: where its challenge says, else at the well-known address of its path, else at that of its
/// origin. `None` if it has none, as those of 2025-03-26.
async fn resource(
    fetch: &Fetch<'_>,
    server: &Address<'_>,
    hint: Option<&str>,
) -> Result<Option<Resource>, AuthError> {
    // The server speaks for its own origin; what another host says of it is not asked for.
    let hint = hint.filter(|hint| Address::parse(hint).is_some_and(|hint| hint.origin() == server.origin()));
    let mut places: Vec<String> = hint.map(str::to_owned).into_iter().collect();
    for place in [server.well_known_with_query(RESOURCE), server.well_known_at_root(RESOURCE)] {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let mut is_absent = true;
    for place in places {
        match fetch.document(place).await {
            Fetched::Document(fields) => return Resource::read(&fields, server).map(Some),
            Fetched::Absent => {}
            Fetched::Unknown => is_absent = false,
        }
    }
    // A server that could not be asked, or that said that it has metadata, is not one of 2025-03-26.
    let origin = server.origin().to_owned();
    match (is_absent, hint) {
        (true, None) => Ok(None),
        (true, Some(_)) => Err(AuthError::NoMetadata { origin }),
        (false, _) => Err(AuthError::Unreachable { origin }),
    }
}

/// The metadata of an authorization server, at the well-known addresses in the order of the revision.
async fn of_issuer(
    fetch: &Fetch<'_>,
    issuer: &str,
    (server, needs_s256): (&Address<'_>, bool),
) -> Result<Metadata, AuthError> {
    let address = Address::parse(issuer).filter(|issuer| issuer.is_issuer() && issuer.may_follow(server));
    let address = address.ok_or(AuthError::AddressRefused { what: "the authorization server" })?;
    let places = match address.has_path() {
        true => {
            vec![address.well_known(OAUTH), address.well_known(OPENID), address.well_known_below(OPENID)]
        }
        false => vec![address.well_known(OAUTH), address.well_known(OPENID)],
    };
    let mut is_absent = true;
    for place in places {
        match fetch.document(place).await {
            Fetched::Document(fields) => return Metadata::read(&fields, &[issuer], (server, needs_s256)),
            Fetched::Absent => {}
            Fetched::Unknown => is_absent = false,
        }
    }
    let origin = address.origin().to_owned();
    Err(if is_absent { AuthError::NoMetadata { origin } } else { AuthError::Unreachable { origin } })
}

/// The authorization server of a server without metadata of its own (2025-03-26): its origin.
async fn of_origin(fetch: &Fetch<'_>, server: &Address<'_>) -> Result<Metadata, AuthError> {
    let origin = server.origin();
    // The name was made here, and both spellings of it are in use.
    let issuers = [origin, &[origin, "/"].concat()];
    for place in [OAUTH, OPENID] {
        match fetch.document(server.well_known_at_root(place)).await {
            Fetched::Document(fields) => return Metadata::read(&fields, &issuers, (server, false)),
            Fetched::Absent => {}
            Fetched::Unknown => return Err(AuthError::Unreachable { origin: origin.to_owned() }),
        }
    }
    Ok(Metadata::usual(server))
}
