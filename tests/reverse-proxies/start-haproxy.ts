import { type ReverseProxy, startReverseProxy } from './start-program.ts'

/**
 * Starts haproxy in HTTP mode in front of the server at `upstreamUrl`. `options` are lines for its `defaults` section,
 * such as `option http-no-delay`.
 */
export function startHaproxy(upstreamUrl: string, options: readonly string[] = []): Promise<ReverseProxy> {
  return startReverseProxy({
    command: 'haproxy',
    arguments: (file) => ['-db', '-f', file],
    configuration: (port) => `
global
  maxconn 1024
defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
  ${options.join('\n  ')}
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  server upstream ${new URL(upstreamUrl).host}
`,
  })
}
