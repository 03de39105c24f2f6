/**
 * Words that the mask of secrets keeps in every program, although a key may contain them: the published keys of the
 * emulator, the names of the programs, and words of HTTP.
 */
export const OWN_WORDS = `
sk-svc-touchstone-funded sk-svc-touchstone-empty sk-svc-touchstone-small sk-svc-touchstone-limited
touchstone-emulator touchstone-conformance emulator conformance
authorization connection keep-alive accept-encoding identity user-agent transfer-encoding
content-type content-length content-encoding content-disposition form-data boundary
application/json application/octet-stream multipart/form-data text/event-stream charset=utf-8
x-request-id x-client-request-id retry-after ratelimit-remaining
`
