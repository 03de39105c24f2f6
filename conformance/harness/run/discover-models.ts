import type { Operation } from '../../../contract/facts.ts'
import type { Exchange } from '../exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { formFields, formRequest, jsonRequest, type RequestBasis } from '../requests/build-request.ts'
import { modelsByPrice } from './prices.ts'
import { sendFor } from './send.ts'
import { createRecorder, type Session } from './session.ts'

/** The operations for which the document does not say which models serve them (section 2.1, last line). */
const SEARCHED = ['images', 'transcriptions', 'speech'] as const
type Searched = (typeof SEARCHED)[number]

/** A target that hangs is not asked eight times. */
const MOST_TIMEOUTS = 2

/**
 * Finds a model for each operation that `wanted` names: the declared one, else all in order of price with the least
 * surprising request until one serves it. For chat every listed model must do: the cheapest is taken as it is.
 */
export async function discoverModels(
  session: Session,
  wanted: ReadonlySet<Operation>,
  listed: Exchange | undefined,
): Promise<void> {
  session.models.set('models', '')
  session.models.set('chat', session.settings.target.models.chat ?? cheapestListed(listed))
  const searches = SEARCHED.filter((operation) => wanted.has(operation))
  await Promise.all(searches.map((operation) => discover(session, operation)))
}

async function discover(session: Session, operation: Searched): Promise<void> {
  const declared = session.settings.target.models[operation]
  const found = declared === undefined ? await search(session, operation) : { model: declared }
  if ('model' in found) {
    session.models.set(operation, found.model)
  } else {
    session.modelProblems.set(operation, found.problem)
  }
}

type Found = { readonly model: string } | { readonly problem: string }

async function search(session: Session, operation: Searched): Promise<Found> {
  const recorder = createRecorder(session.settings, `discover ${operation}`)
  const badRequest: string[] = []
  const seen: string[] = []
  for (const model of modelsByPrice()) {
    const exchange = await ask(session, recorder, operation, model)
    const stop = reasonToStop(exchange, recorder, seen)
    if (exchange.status >= 200 && exchange.status < 300) {
      return { model }
    }
    if (stop !== undefined) {
      return { problem: stop }
    }
    seen.push(exchange.status === 0 ? (exchange.error?.kind ?? 'none') : String(exchange.status))
    if (exchange.status === 400) {
      badRequest.push(model)
    }
  }
  const sized = operation === 'images' ? await searchWithSize(session, recorder, badRequest) : undefined
  const answers = [...new Set(seen)].join(', ')
  return sized ?? { problem: `No listed model serves ${operation}: all eight were tried (answers: ${answers}).` }
}

/** Some image models may want a size, although it is optional: the check of that says so, the others can still run. */
async function searchWithSize(
  session: Session,
  recorder: Recorder,
  models: readonly string[],
): Promise<Found | undefined> {
  for (const model of models) {
    const exchange = await ask(session, recorder, 'images', model, { size: '1024x1024' })
    if (exchange.status === 200) {
      return { model }
    }
  }
  return undefined
}

function reasonToStop(exchange: Exchange, recorder: Recorder, seen: readonly string[]): string | undefined {
  if (recorder.obstacle !== undefined) {
    return recorder.obstacle
  }
  if (exchange.status === 402) {
    return 'The account of --key ran out of credits: give a key with more.'
  }
  const timeouts = seen.filter((kind) => kind === 'timeout').length + (exchange.error?.kind === 'timeout' ? 1 : 0)
  return timeouts >= MOST_TIMEOUTS ? 'No model answered in time: give it longer with --timeout-ms.' : undefined
}

function ask(
  session: Session,
  recorder: Recorder,
  operation: Searched,
  model: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const basis: RequestBasis = { model, key: session.settings.target.keys.funded, tag: recorder.tag }
  if (operation === 'transcriptions') {
    const form = formFields(basis, {})
    return sendFor(session, { spec: formRequest(basis, form, {}), recorder, form })
  }
  return sendFor(session, { spec: jsonRequest(operation, basis, fields, {}), recorder })
}

function cheapestListed(listed: Exchange | undefined): string {
  const byPrice = modelsByPrice()
  const ids = new Set(idsOf(listed?.json))
  return byPrice.find((model) => ids.has(model)) ?? byPrice[0] ?? ''
}

function idsOf(json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null || !('data' in json) || !Array.isArray(json.data)) {
    return []
  }
  return json.data.map((item: unknown) =>
    typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined,
  )
}
