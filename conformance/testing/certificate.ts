/**
 * A certificate for localhost and 127.0.0.1 that nobody signed but itself, with its key: for servers of tests on this machine
 * alone. It is valid for a hundred years, so that no test ends with it.
 */
export const SELF_SIGNED = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUHmFaFOpKQfdMmQDr7Q37v4UB04swCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE4MzExOVoYDzIxMjYxMDI4
MTgzMTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR97sWgDNBsJOJm0wXUFzhsWblMp9x5Z0byDQfhZ9UvlT38+6pCVoBk
byszVrmM7HVlm6aqYAsIecXrzRzRHYn6o28wbTAdBgNVHQ4EFgQU/Ptg3sY5E5Z4
uzmNBQsP+F4s1PEwHwYDVR0jBBgwFoAU/Ptg3sY5E5Z4uzmNBQsP+F4s1PEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAPM/Ojmn+Yn7MZDBI1VuTdMFscO0VsG5/15bwfuVs4/zAiBg
b5m6KK9frGcTDI4WttnDkoC9sKlKPE4ydSNdCJSv1w==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9Xf4kjWkMpNfcEOL
Aj+x8WZHSRzewrzHozMElsGs9oOhRANCAAR97sWgDNBsJOJm0wXUFzhsWblMp9x5
Z0byDQfhZ9UvlT38+6pCVoBkbyszVrmM7HVlm6aqYAsIecXrzRzRHYn6
-----END PRIVATE KEY-----
`,
}
