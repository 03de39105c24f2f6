import { getMember } from '../../common/json-object.ts'
import { MODELS, type Operation, OPERATION_NAMES, OPERATIONS } from '../../contract/facts.ts'
import {
  createFixedDelay,
  LATENCY_PROFILES,
  createLatencyProfile,
  type LatencyProfile,
  type DelayDistribution,
  type TokenLatency,
} from '../state/latency.ts'

/** Maximum delay in a latency profile: one hour. */
const MAX_DELAY_MS = 3_600_000

const PROFILE_NAMES = Object.keys(LATENCY_PROFILES).join(', ')
const PART_NAMES = `ttft, itl, total, ${OPERATION_NAMES.filter((name) => name !== 'chat').join(
  ', ',
)}, slowdown, and for single models such as ${MODELS[0].id}.ttft`

/**
 * Parses a latency from text such as `typical,images=2s,o3-mini.ttft=1s..4s` (docs/reference/emulator.md), or from the JSON value
 * of a config file: `{"profile": "typical", "chat": {"ttft": "100ms"}, "byModel": {"o3-mini": {"itl": "5ms"}}, "images": "2s"}`.
 * @returns the profile, or a sentence that describes the error
 */
export function parseLatency(value: unknown): LatencyProfile | string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const parts = isObject ? splitObject({ ...value }) : splitText(String(value))
  if (typeof parts === 'string') return parts
  let latency: LatencyProfile = createLatencyProfile(createFixedDelay(0), createFixedDelay(0), createFixedDelay(0))
  for (const [name, text] of parts.toSorted(([a], [b]) => getPrecedence(a) - getPrecedence(b))) {
    const next = applyPart(latency, name, text)
    if (typeof next === 'string') return next
    latency = next
  }
  return latency
}

type Part = readonly [name: string, text: string]

function splitText(text: string): readonly Part[] | string {
  const [first = '', ...rest] = text.split(',').map((part) => part.trim())
  const isNamed = !first.includes('=')
  if (isNamed && !Object.hasOwn(LATENCY_PROFILES, first)) {
    return `There is no latency profile '${first}'. Use ${PROFILE_NAMES}, or parts such as ttft=100ms,itl=20ms.`
  }
  const read = (part: string): Part => {
    const [name = '', value = ''] = part.split('=', 2)
    return [name, value]
  }
  return isNamed ? [['profile', first], ...rest.map(read)] : [first, ...rest].map(read)
}

/** Converts the JSON form of a latency to the parts of its text form. */
function splitObject(value: Record<string, unknown>): readonly Part[] | string {
  const { chat = {}, byModel = {}, ...others } = value
  const parts: Part[] = []
  const add = (prefix: string, given: unknown) => {
    for (const [key, text] of Object.entries(given ?? {})) parts.push([prefix + key, String(text)])
  }
  if (typeof chat !== 'object' || typeof byModel !== 'object') {
    return '"chat" and "byModel" must be objects such as {"ttft": "100ms", "itl": "20ms"} and {"o3-mini": {"ttft": "2s"}}.'
  }
  add('', chat)
  add('', others)
  for (const [model, given] of Object.entries(byModel ?? {})) {
    if (typeof given !== 'object')
      return `The latency of "${model}" must be an object such as {"ttft": "2s", "itl": "20ms"}.`
    add(`${model}.`, given)
  }
  return parts
}

/**
 * Returns the position of a part in the order of application. General parts have lower positions than specific parts,
 * which override them.
 */
function getPrecedence(name: string): number {
  if (name === 'profile') return 0
  return isWholeOperation(name) || name.includes('.') ? 2 : 1
}

/**
 * Applies one part of a latency option to a profile.
 * @returns the new profile, or a sentence that describes the error
 */
function applyPart(latency: LatencyProfile, name: string, text: string): LatencyProfile | string {
  if (name === 'profile') {
    if (Object.hasOwn(LATENCY_PROFILES, text)) return LATENCY_PROFILES[text as keyof typeof LATENCY_PROFILES]
    return `There is no latency profile '${text}'. Use ${PROFILE_NAMES}.`
  }
  if (name === 'slowdown') {
    const share = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
    if (share <= 100) return { ...latency, slowdownPerRequest: share }
    return `'${name}=${text}' must be a share from 0 to 100, such as slowdown=0.01.`
  }
  const set = findSetter(latency, name)
  if (typeof set === 'string') return set
  const spread = parseDelay(text)
  return spread === undefined
    ? `'${name}=${text}' must have the form ${name}=20ms, ${name}=1.5s or ${name}=20ms..90ms.`
    : set(spread)
}

/**
 * Finds the function that sets a delay.
 * @param name name of the delay, for example `images` or `o3-mini.ttft`
 * @returns the function, or a sentence that describes the error if there is no such delay
 */
function findSetter(latency: LatencyProfile, name: string): ((spread: DelayDistribution) => LatencyProfile) | string {
  const { chat, total, byModel } = latency
  if (isTokenPart(name)) return (spread) => ({ ...latency, chat: { ...chat, [name]: spread } })
  if (name === 'total')
    return (spread) => ({ ...latency, total: createLatencyProfile(chat.ttft, chat.itl, spread).total })
  if (isWholeOperation(name)) return (spread) => ({ ...latency, total: { ...total, [name]: spread } })
  const [, model = '', part = ''] = /^(.*)\.(.*)$/.exec(name) ?? []
  if (!isTokenPart(part)) return `There is no latency part '${name}'; the parts are ${PART_NAMES}.`
  return (spread) => ({
    ...latency,
    byModel: { ...byModel, [model]: { ...(getMember(byModel ?? {}, model) ?? chat), [part]: spread } },
  })
}

/** Returns true for the delays that can be set per model. */
function isTokenPart(name: string): name is keyof TokenLatency {
  return name === 'ttft' || name === 'itl'
}

function isWholeOperation(name: string): name is Exclude<Operation, 'chat'> {
  return name !== 'chat' && Object.hasOwn(OPERATIONS, name)
}

function parseDelay(text: string): DelayDistribution | undefined {
  const [low, high, ...rest] = text.split('..').map(parseMs)
  if (low === undefined || rest.length > 0) return undefined
  if (!text.includes('..')) return createFixedDelay(low)
  return high === undefined || high < low || low === 0 ? undefined : { p50Ms: low, p99Ms: high }
}

function parseMs(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text.trim()) ?? []
  const ms = Number(number) * (unit === 's' ? 1000 : 1)
  return ms <= MAX_DELAY_MS ? ms : undefined
}
