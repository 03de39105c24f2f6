/*
 * Settings of proxies that remove a cause. docs/troubleshooting.md lists more proxies.
 */

export const BODY_LIMIT_REMEDY =
  'raise the body limit of the proxy in front of the service (nginx: "client_max_body_size 32m"; Kubernetes ingress-nginx: the annotation "nginx.ingress.kubernetes.io/proxy-body-size: 32m"; Apache: "LimitRequestBody 33554432"; Caddy: "request_body" with "max_size 32MB"; Traefik: maxRequestBodyBytes of the middleware "buffering"), or that of the service itself'

export const HOST_REMEDY =
  'configure each proxy in front of the service to forward the header Host (nginx: "proxy_set_header Host $http_host"; Apache: "ProxyPreserveHost On"; Caddy and haproxy forward it by default), or set --base-url to the address that clients use'

export const SCHEME_REMEDY =
  'configure the proxy that terminates TLS to send the header X-Forwarded-Proto (nginx: "proxy_set_header X-Forwarded-Proto $scheme"), and the service to use this header in its URLs'

export const PREFIX_REMEDY =
  'configure the service to add the path prefix that the gateway removes (for example with the header "X-Forwarded-Prefix" or the root path of the framework), or serve /v1 at the root of the gateway'
