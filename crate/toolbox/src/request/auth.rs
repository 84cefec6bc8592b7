//! T002-79: what a tool's block `auth` adds to a request.

use super::PrepareError;
use super::pieces::Pieces;
use super::text;
use super::url::percent;
use crate::error::AnswerError;
use crate::record::{Auth, KeyPlace, SIGNED, secret_name};
use crate::template::{Hole, Part, Scope, parse};
use wire::pieces::{HeaderPieces, Piece};
use wire::toolbox::OAuthServer;

const AUTHORIZATION: &str = "Authorization";

/// The pair that it adds to the query.
pub(super) fn query(auth: &Auth) -> Result<Option<Vec<Part>>, AnswerError> {
    let Auth::ApiKey { place: KeyPlace::Query, name, value } = auth else { return Ok(None) };
    let mut pair = vec![Part::Text(format!("{}=", percent(name)))];
    pair.extend(parts(value)?);
    Ok(Some(pair))
}

/// The headers that it adds.
pub(super) fn headers(
    auth: &Auth,
    method: &str,
    scope: Scope<'_>,
) -> Result<Vec<HeaderPieces>, PrepareError> {
    match auth {
        Auth::Bearer { token } => {
            let mut value = Pieces::default();
            value.text("Bearer ");
            value.append(text::header(&parts(token)?, scope)?.unwrap_or_default());
            Ok(vec![header(AUTHORIZATION, value)])
        }
        Auth::Basic { username, password } => {
            let parts_of_name = parts(username)?;
            let username = text::plain(&parts_of_name, scope)?.finish();
            if username.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains(':'))) {
                let hole = parts_of_name
                    .iter()
                    .find_map(|part| if let Part::Hole(hole) = part { Some(hole) } else { None });
                let path = hole.map(Hole::pointer).unwrap_or_default();
                return Err(PrepareError::argument(&path, "must not contain a colon: it ends the name"));
            }
            let password = text::plain(&parts(password)?, scope)?.finish();
            let mut value = Pieces::default();
            value.text("Basic ");
            value.push(Piece::Basic { username, password });
            Ok(vec![header(AUTHORIZATION, value)])
        }
        Auth::ApiKey { place: KeyPlace::Header, name, value } => {
            let value = text::header(&parts(value)?, scope)?;
            Ok(value.map(|value| header(name, value)).into_iter().collect())
        }
        Auth::ApiKey { place: KeyPlace::Query, .. } => Ok(Vec::new()),
        Auth::Hmac { algorithm, key, header: name, encoding, message, timestamp_header } => {
            let mut headers = Vec::new();
            if let Some(name) = timestamp_header {
                let mut value = Pieces::default();
                value.push(Piece::Timestamp);
                headers.push(header(name, value));
            }
            let mut value = Pieces::default();
            value.push(Piece::Hmac {
                algorithm: *algorithm,
                key: text::plain(&parts(key)?, scope)?.finish(),
                message: signed(&parts(message)?, method, scope)?.finish(),
                encoding: *encoding,
            });
            headers.push(header(name, value));
            Ok(headers)
        }
        Auth::Oauth2 { .. } => {
            let mut value = Pieces::default();
            value.text("Bearer ");
            value.push(Piece::OAuthToken);
            Ok(vec![header(AUTHORIZATION, value)])
        }
    }
}

/// The server whose token it needs.
pub(super) fn server(auth: &Auth) -> Option<OAuthServer> {
    let Auth::Oauth2 { authorization_url, token_url, client_id, client_secret, scopes } = auth else {
        return None;
    };
    Some(OAuthServer {
        authorization_url: authorization_url.clone(),
        token_url: token_url.clone(),
        client_id: client_id.clone(),
        client_secret: client_secret.as_deref().and_then(secret_name),
        scopes: scopes.clone(),
    })
}

/// What a signature is made over. The names of the request's own parts come before arguments of the same name.
fn signed(parts: &[Part], method: &str, scope: Scope<'_>) -> Result<Pieces, PrepareError> {
    let mut message = Pieces::default();
    for part in parts {
        let own = match part {
            Part::Hole(hole) if hole.second().is_none() && SIGNED.contains(&hole.name.as_str()) => {
                hole.name.as_str()
            }
            _ => "",
        };
        match own {
            "method" => message.text(method),
            "path" => message.push(Piece::Path),
            "timestamp" => message.push(Piece::Timestamp),
            "body" => message.push(Piece::Body),
            _ => message.append(text::plain(std::slice::from_ref(part), scope)?),
        }
    }
    Ok(message)
}

fn parts(template: &str) -> Result<Vec<Part>, AnswerError> {
    parse(template).map_err(|error| AnswerError::InvalidTool {
        path: "/impl/auth".to_owned(),
        problem: error.to_string(),
    })
}

fn header(name: &str, value: Pieces) -> HeaderPieces {
    HeaderPieces { name: name.to_owned(), value: value.finish() }
}
