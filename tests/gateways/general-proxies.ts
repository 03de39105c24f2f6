import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../common/testing/free-port.ts'
import { type RunningServer, startServer } from './start-server.ts'

/** Directories of an installed proxy, and the server behind it. */
interface ProxySetup {
  readonly directory: string
  readonly commands: string
  readonly upstreamUrl: string
}

/** Starts Caddy with `reverse_proxy` and no other directive. */
export function startCaddy({ directory, commands, upstreamUrl }: ProxySetup): Promise<RunningServer> {
  return startServer({
    command: join(commands, 'caddy'),
    arguments: (port) => {
      const file = join(directory, 'Caddyfile')
      const site = `http://127.0.0.1:${port} {\n  reverse_proxy ${new URL(upstreamUrl).host}\n}\n`
      writeFileSync(file, `{\n  admin off\n}\n${site}`)
      return ['run', '--config', file, '--adapter', 'caddyfile']
    },
    directory,
    environment: () => ({ HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }),
  })
}

/** Starts Traefik with one router and no middleware. */
export function startTraefik({ directory, commands, upstreamUrl }: ProxySetup): Promise<RunningServer> {
  const file = join(directory, 'routes.yml')
  const routers = { all: { rule: 'PathPrefix(`/`)', service: 'upstream' } }
  const services = { upstream: { loadBalancer: { servers: [{ url: upstreamUrl }] } } }
  // Traefik reads YAML, and every JSON document is valid YAML.
  writeFileSync(file, JSON.stringify({ http: { routers, services } }))
  return startServer({
    command: join(commands, 'traefik'),
    arguments: (port) => [
      `--entrypoints.web.address=127.0.0.1:${port}`,
      `--providers.file.filename=${file}`,
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
    ],
    directory,
    isNotFoundFirst: true,
  })
}

/** Starts Envoy with one route and its router filter. */
export function startEnvoy({ directory, commands, upstreamUrl }: ProxySetup): Promise<RunningServer> {
  return startServer({
    command: join(commands, 'envoy'),
    arguments: (port) => {
      const file = join(directory, 'envoy.json')
      writeFileSync(file, JSON.stringify(configureEnvoy(port, Number(new URL(upstreamUrl).port))))
      return ['-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'error']
    },
    directory,
  })
}

const FILTERS = 'envoy.filters'
const TYPES = 'type.googleapis.com/envoy.extensions.filters'

function configureEnvoy(port: number, upstreamPort: number) {
  const address = (value: number) => ({ socket_address: { address: '127.0.0.1', port_value: value } })
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'upstream' } }]
  const manager = {
    '@type': `${TYPES}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'web',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [{ name: `${FILTERS}.http.router`, typed_config: { '@type': `${TYPES}.http.router.v3.Router` } }],
  }
  const filters = [{ name: `${FILTERS}.network.http_connection_manager`, typed_config: manager }]
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: address(upstreamPort) } }] }]
  const cluster = {
    name: 'upstream',
    type: 'STATIC',
    load_assignment: { cluster_name: 'upstream', endpoints },
  }
  return {
    static_resources: { listeners: [{ address: address(port), filter_chains: [{ filters }] }], clusters: [cluster] },
  }
}

/** Starts mitmproxy as a reverse proxy, with its defaults. */
export function startMitmproxy({ directory, commands, upstreamUrl }: ProxySetup): Promise<RunningServer> {
  return startServer({
    command: join(commands, 'mitmdump'),
    arguments: (port) => {
      const address = ['--listen-host', '127.0.0.1', '-p', String(port)]
      return ['--mode', `reverse:${upstreamUrl}`, ...address, '--set', `confdir=${directory}`, '-q']
    },
    directory,
  })
}

/** Starts mountebank with an imposter that forwards every request. */
export async function startMountebank({ directory, commands, upstreamUrl }: ProxySetup): Promise<RunningServer> {
  const adminPort = await findFreePort()
  return startServer({
    command: join(commands, 'mb'),
    arguments: (port) => {
      const file = join(directory, 'imposters.json')
      const stub = { responses: [{ proxy: { to: upstreamUrl, mode: 'proxyTransparent' } }] }
      const imposter = { port, protocol: 'http', host: '127.0.0.1', stubs: [stub] }
      writeFileSync(file, JSON.stringify({ imposters: [imposter] }))
      const files = ['--configfile', file, '--pidfile', join(directory, 'mb.pid'), '--nologfile']
      return ['start', '--host', '127.0.0.1', '--port', String(adminPort), ...files]
    },
    directory,
  })
}
