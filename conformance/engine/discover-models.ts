import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Recorder } from '../evidence/recorder.ts'
import { formFields, formRequest, jsonRequest, type RequestBasis } from '../requests/build-request.ts'
import { type Form, FORMS, refusesForm, SEARCHED, type Searched } from '../requests/request-forms.ts'
import { modelsByPrice } from './prices.ts'
import { sendFor } from './send.ts'
import { createRecorder, type Session } from './session.ts'

/** A target that hangs is not asked eight times. */
const MOST_TIMEOUTS = 2

/**
 * Finds a model for each operation that `wanted` names: the declared one, else all in order of price with the least
 * surprising request until one serves it, then in other forms. For chat every listed model must do: the cheapest is taken
 * as it is.
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
  const seen: string[] = []
  let candidates = modelsByPrice()
  for (const form of FORMS[operation]) {
    const refused: string[] = []
    for (const model of candidates) {
      const exchange = await ask(session, recorder, { operation, model, form })
      if (exchange.status >= 200 && exchange.status < 300) {
        session.forms.set(operation, form)
        return { model }
      }
      const stop = reasonToStop(exchange, recorder, seen)
      if (stop !== undefined) {
        return { problem: stop }
      }
      seen.push(exchange.status === 0 ? (exchange.error?.kind ?? 'none') : String(exchange.status))
      if (refusesForm(exchange)) {
        refused.push(model)
      }
    }
    // Only a model that may have disliked the form is asked in another.
    candidates = refused
  }
  const answers = [...new Set(seen)].join(', ')
  return { problem: `No listed model serves ${operation}: all eight were tried (answers: ${answers}).` }
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

interface Question {
  readonly operation: Searched
  readonly model: string
  readonly form: Form
}

function ask(session: Session, recorder: Recorder, { operation, model, form }: Question): Promise<Exchange> {
  const key = session.settings.target.keys.funded
  const basis: RequestBasis = { model, key, tag: recorder.tag, form }
  if (operation === 'transcriptions') {
    const fields = formFields(basis, {})
    return sendFor(session, { spec: formRequest(basis, fields, {}), recorder, form: fields })
  }
  return sendFor(session, { spec: jsonRequest(operation, basis, {}, {}), recorder })
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
