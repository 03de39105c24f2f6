import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODELS } from '../../contract/facts.ts'

/** API key of the emulator's funded standard account. */
export const FUNDED = 'sk-svc-touchstone-funded'

/** Directories and servers that a program under test may use. */
export interface TestSetup {
  /** Directory of this program, for its configuration and data. */
  readonly directory: string
  /** The directory that contains the installed commands. */
  readonly commands: string
  /** Base URL of the emulator that serves as the upstream of a proxy or gateway. */
  readonly upstreamUrl: string
}

/** API key of the gateways that have keys of their own. */
export const GATEWAY_KEY = 'sk-svc-gateway-test'

export function configureLitellm({ directory, upstreamUrl }: TestSetup): string {
  const models = MODELS.map(({ id }) => ({
    model_name: id,
    litellm_params: { model: `openai/${id}`, api_base: `${upstreamUrl}/v1`, api_key: FUNDED },
  }))
  const file = join(directory, 'litellm.yaml')
  // LiteLLM reads YAML, and every JSON document is valid YAML.
  writeFileSync(file, JSON.stringify({ model_list: models, general_settings: { master_key: GATEWAY_KEY } }))
  return file
}

export function configureAimock({ directory }: TestSetup): string {
  mkdirSync(join(directory, 'fixtures'), { recursive: true })
  const fixtures = [{ match: {}, response: { content: 'Hello there, this is a mock answer.' } }]
  writeFileSync(join(directory, 'fixtures', 'any.json'), JSON.stringify({ fixtures }))
  const file = join(directory, 'aimock.json')
  writeFileSync(file, JSON.stringify({ llm: { fixtures: './fixtures' } }))
  return file
}

export function configureLmProxy({ directory, upstreamUrl }: TestSetup, port: number): string {
  const file = join(directory, 'lm-proxy.json')
  const connection = { api_type: 'open_ai', api_base: `${upstreamUrl}/v1/`, api_key: FUNDED }
  const configuration = {
    host: '127.0.0.1',
    port,
    connections: { upstream: connection },
    routing: { '*': 'upstream.*' },
    groups: { default: { api_keys: [GATEWAY_KEY] } },
  }
  writeFileSync(file, JSON.stringify(configuration))
  return file
}

export function configureMockApi({ directory }: TestSetup, port: number): string {
  const file = join(directory, 'mock-api.yaml')
  const messages = [
    { role: 'user', matcher: 'any' },
    { role: 'assistant', content: 'This is the answer of the mock to every user.' },
  ]
  // The program reads YAML, and every JSON document is valid YAML.
  writeFileSync(file, JSON.stringify({ apiKey: FUNDED, port, responses: [{ id: 'any', messages }] }))
  return file
}

/** Writes the OpenAPI description that the emulator serves of itself. */
export async function writeOpenApi({ directory, upstreamUrl }: TestSetup): Promise<string> {
  const file = join(directory, 'openapi.json')
  const response = await fetch(`${upstreamUrl}/__emulator/openapi.json`)
  writeFileSync(file, await response.text())
  return file
}
