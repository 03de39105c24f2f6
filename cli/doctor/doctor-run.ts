import { type ConformanceOptions, runConformance } from '../../conformance/run-conformance.ts'
import type { CheckEntry, DocumentFinding } from '../../reports/conformance-document.ts'
import { listCodedRemarks } from '../../reports/remarks.ts'
import { isUnknownPath } from './describe-response-class.ts'

export const MODELS = '5/valid-key-models'
export const CHAT = '1/chat-offered'
/** `CHAT` also accepts a part of a result, such as the object of a different endpoint. */
export const CONTENT = '2.3/message-content'
export const UNKNOWN_KEY = { models: '5/unknown-key-models', chat: '5/unknown-key-chat' } as const
export const WITHOUT_CREDITS = '5/no-credits-chat'
/** Operations that `doctor` tests only if the target offers no chat. */
export const OTHER_OPERATIONS = ['images', 'transcriptions', 'speech'] as const
export type OtherOperation = (typeof OTHER_OPERATIONS)[number]
export const offerOf = (operation: OtherOperation): string => `1/${operation}-offered`
export const unknownKeyOf = (operation: OtherOperation): string => `5/unknown-key-${operation}`

export interface DoctorRun {
  readonly url: string
  /** Why the suite could not test the target, and the sentence about it. */
  readonly obstacle: DocumentFinding | undefined
  readonly problem: string | undefined
  /** Sentence about a target that looks like a different service. */
  readonly hint: string | undefined
  /** A check that did not run because the target stopped responding. */
  readonly death: CheckEntry | undefined
  modelOf(operation: string): string | undefined
  /** Returns the fingerprint of a key as documents show it, or undefined if the user did not give the key. */
  fingerprintOf(role: string): string | undefined
  entryOf(id: string): CheckEntry | undefined
}

export async function runChecks(options: ConformanceOptions, signal: AbortSignal): Promise<DoctorRun> {
  const { document } = await runConformance({ ...options, budgets: [], signal })
  return {
    url: document.target.url,
    obstacle: document.target.obstacle,
    problem: document.target.problem,
    hint: listCodedRemarks(document).find(({ code }) => code === 'other-service')?.text,
    death: document.checks.find(({ code }) => code === 'target-died'),
    modelOf: (operation) => document.target.models[operation],
    fingerprintOf: (role) => document.target.keys[role],
    entryOf: (id) => document.checks.find((check) => check.id === id),
  }
}

/**
 * Runs the checks of the list of models and of chat. If the target offers no chat, also runs the checks of the other
 * operations.
 */
export async function runMainChecks(
  options: ConformanceOptions,
  hasKey: boolean,
  signal: AbortSignal,
): Promise<DoctorRun> {
  const { without = [] } = options
  const offersChat = !without.includes('chat')
  const only = [
    ...(without.includes('models') ? [] : [MODELS, ...(hasKey ? [UNKNOWN_KEY.models] : [])]),
    ...(offersChat ? [CHAT, CONTENT, WITHOUT_CREDITS, ...(hasKey ? [UNKNOWN_KEY.chat] : [])] : []),
  ]
  const main = only.length === 0 ? undefined : await runChecks({ ...options, only }, signal)
  // A target that serves no chat because of its model may charge for an image.
  const others = OTHER_OPERATIONS.filter(
    (operation) => !without.includes(operation) && !(offersChat && operation === 'images'),
  )
  const isComplete = main?.hint !== undefined || (offersChat && !isUnknownPath(main?.entryOf(CHAT)))
  if (main !== undefined && (isComplete || others.length === 0)) return main
  const absent = new Set([...without, 'models', 'chat'] as const)
  const onlyOthers = others.flatMap((operation) => [offerOf(operation), ...(hasKey ? [unknownKeyOf(operation)] : [])])
  const run = await runChecks({ ...options, without: [...absent], only: onlyOthers }, signal)
  return {
    ...(main ?? run),
    entryOf: (id) => main?.entryOf(id) ?? run.entryOf(id),
    modelOf: (operation) => main?.modelOf(operation) ?? run.modelOf(operation),
  }
}
