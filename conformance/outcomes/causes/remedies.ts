/*
 * Settings of proxies that remove a cause. docs/troubleshooting.md lists more proxies.
 */

export const BODY_LIMIT_REMEDY =
  'raise the body limit of the proxy before the service (nginx: "client_max_body_size 32m"; Kubernetes ingress-nginx: the annotation "nginx.ingress.kubernetes.io/proxy-body-size: 32m"; Apache: "LimitRequestBody 33554432"; Caddy: "request_body" with "max_size 32MB"; Traefik: maxRequestBodyBytes of the middleware "buffering"), or that of the service itself'

export const HOST_REMEDY =
  'let each proxy before the service forward the header Host (nginx: "proxy_set_header Host $http_host"; Apache: "ProxyPreserveHost On"; Caddy and haproxy forward it unless told otherwise), or set --base-url to the address of the clients'

export const SCHEME_REMEDY =
  'let the proxy that terminates TLS send the header X-Forwarded-Proto (nginx: "proxy_set_header X-Forwarded-Proto $scheme"), and let the service use it for its URLs'

export const PREFIX_REMEDY =
  'tell the service the path prefix that the gateway removes (for example the header "X-Forwarded-Prefix", or the root path of the framework), or let the gateway serve /v1 at its root'
