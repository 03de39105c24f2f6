import { defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { UNKNOWN_MODEL } from './errors.ts'
import { findFirstDeviation, compareMediaType, findTypeDeviation } from '../shared/fields.ts'
import { getMember } from '../shared/response-access.ts'

export const ERROR_BODY: Expectation = { rule: 'error-body' }

/**
 * Finds the first deviation of an error body from the format that client SDKs read. `param` and `code` must be present,
 * but may be null.
 * @param declaredField field that contains the error according to the target's owner
 */
export function findBodyDeviation(response: Exchange, declaredField?: string): Deviation | undefined {
  const { json } = response
  if (declaredField !== undefined) return findMissingField(json, declaredField)
  const mediaType = compareMediaType(response, 'application/json')
  // The members come first, because the openai SDKs parse every error body as JSON, whatever its media type.
  return (
    (json === undefined ? mediaType : undefined) ??
    findTypeDeviation(json, ['error'], 'object') ??
    findFirstDeviation(['message', 'type'].map((name) => findTypeDeviation(json, ['error', name], 'string'))) ??
    findFirstDeviation(['param', 'code'].map((name) => findMissingProperty(json, name))) ??
    mediaType
  )
}

function findMissingField(json: unknown, field: string): Deviation | undefined {
  const value = getMember(json, field)
  return value === undefined || value === null ? { code: 'missing-field', params: { path: field } } : undefined
}

function findMissingProperty(json: unknown, name: string): Deviation | undefined {
  return getMember(json, 'error', name) === undefined
    ? { code: 'missing-field', params: { path: `error.${name}` } }
    : undefined
}

/** Message of the exception that the OpenAI SDK for Node throws for an error response. */
export interface SdkMessage {
  readonly kind: keyof typeof MESSAGES | 'message'
  readonly text: string
}

const MESSAGES = {
  'error-as-json': 'the openai SDK for Node.js shows the JSON text of the error instead of a message',
  'whole-body': 'the openai SDK for Node.js shows the whole body as the message',
  nothing: 'the openai SDK for Node.js shows "status code (no body)" instead of the message',
} as const

/** Predicts the exception message of the OpenAI SDK for Node (`APIError.makeMessage` of version 6). */
export function predictSdkMessage({ status, text, json }: Pick<Exchange, 'status' | 'text' | 'json'>): SdkMessage {
  const nothing: SdkMessage = { kind: 'nothing', text: `${status} status code (no body)` }
  // The SDK treats an error body of null, 0, false or "" as text.
  if (!json) return text === '' ? nothing : { kind: 'whole-body', text: `${status} ${text}` }
  const error = getMember(json, 'error')
  if (!error) return nothing
  const message = getMember(error, 'message')
  if (typeof message === 'string' && message !== '') return { kind: 'message', text: `${status} ${message}` }
  return { kind: 'error-as-json', text: `${status} ${JSON.stringify(message || error)}` }
}

export function describeConsequence(response: Exchange, deviation: Deviation): string {
  const { kind } = predictSdkMessage(response)
  if (kind !== 'message') return MESSAGES[kind]
  const sdkNote = 'the openai SDK for Node.js still shows the message'
  if (deviation.code === 'missing-field' || deviation.code === 'wrong-type') {
    const name = deviation.params.path.split('.').at(-1)
    const value = deviation.code === 'missing-field' ? 'undefined' : 'of another type'
    return `${sdkNote}; the ${name} of its exception is ${value}`
  }
  return `${sdkNote}; clients that choose the parser by the media type get text instead of the error`
}

export const errorShapeCheck = defineCheck({
  id: '7/error-shape',
  requirement: '7/error-shape',
  title: 'the shape of the error body, and its code strings',
  operation: 'chat',
  async run({ shared }) {
    const response = await shared.chat({ model: UNKNOWN_MODEL })
    if (expect.isSuccessful(response)) {
      return expect.markNotTestable({
        code: 'error-not-provoked',
        params: { status: 404, ...expect.getResponseParams(response) },
      })
    }
    return expect.observe(response, {
      observe: ({ json, status, error }) => (error === undefined ? observeErrorBody(json, status) : undefined),
    })
  },
})

function observeErrorBody(json: unknown, actualStatus: number): ObservedFact {
  const members = membersOf(json)
  if (members === null || Array.isArray(json)) return { kind: 'error-body', actualStatus, members: null }
  const error = getMember(json, 'error')
  const code = getMember(error, 'code')
  return {
    kind: 'error-body',
    actualStatus,
    members,
    ...(error === undefined ? {} : { error: membersOf(error) ?? { value: createExcerpt(error) } }),
    ...(code === undefined ? {} : { code: createExcerpt(code) }),
  }
}

function membersOf(value: unknown): readonly string[] | null {
  return typeof value === 'object' && value !== null ? Object.keys(value) : null
}
