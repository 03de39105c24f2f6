import { MODELS, type Operation, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { DeclaredModel } from '../targets/declared-models.ts'
import { getUnitsPerToken } from '../traffic/prices.ts'

export interface CatalogModel {
  readonly id: string
  /** Price in units (1/10000 credit) per token. Undefined if it is unknown. */
  readonly unitsPerToken: number | undefined
  /** Operations that the model serves. Undefined if they are unknown. */
  readonly operations?: readonly Operation[]
}

/** Source of the models. The list of the target is the source without a declaration, if it has others. */
export type CatalogOrigin = 'specification' | 'declared' | 'listed'

/** Maximum number of models that discovery tries for one operation, so that a long list costs no more. */
const MAX_TRIED = MODELS.length
/** Maximum number of declared models for checks that send a request to each model. */
const MAX_DECLARED = 20

/** Models of a target by ascending price. Models without a known price come last, in their original order. */
export class ModelCatalog {
  readonly origin: CatalogOrigin
  readonly models: readonly CatalogModel[]

  constructor(origin: CatalogOrigin, models: readonly CatalogModel[]) {
    this.origin = origin
    const price = (model: CatalogModel): number => model.unitsPerToken ?? Number.POSITIVE_INFINITY
    // Compares equal prices separately, because Infinity - Infinity is NaN, which `toSorted` cannot order.
    this.models = models.toSorted((a, b) => (price(a) === price(b) ? 0 : price(a) - price(b)))
  }

  /** Returns the price in units per token. Returns undefined if it is unknown. */
  unitsPerToken(model: string): number | undefined {
    const entry = this.models.find(({ id }) => id === model)
    return entry === undefined ? getUnitsPerToken(model) : entry.unitsPerToken
  }

  has(model: string): boolean {
    return this.models.some(({ id }) => id === model)
  }

  /** Returns whether the model must serve chat, as each model of section 2.1 must. Models of a list need not. */
  requiresChat(model: string): boolean {
    if (this.origin === 'listed') return false
    return this.models.some(({ id, operations }) => id === model && (operations?.includes('chat') ?? true))
  }

  /** Returns the models that may serve an operation, likely ones first; all if none is declared for it. */
  candidates(operation: Operation): readonly string[] {
    const likely = this.models.filter(({ operations }) => operations?.includes(operation) ?? true)
    const ids = (likely.length === 0 ? this.models : likely).map(({ id }) => id)
    const sorted = this.origin === 'listed' ? byLikelihood(ids, operation) : ids
    return sorted.slice(0, MAX_TRIED)
  }

  /** Returns the models to which some checks each send a request: those that must serve chat, or the first ones. */
  chatModels(): readonly string[] {
    if (this.origin !== 'declared') return this.candidates('chat')
    return this.models.flatMap(({ id }) => (this.requiresChat(id) ? [id] : [])).slice(0, MAX_DECLARED)
  }

  /** Returns the model that the owner declares for an operation. Returns undefined if discovery must find one. */
  declaredFor(operation: Operation): string | undefined {
    return this.models.find(({ operations }) => operations?.includes(operation))?.id
  }
}

export const SPECIFIED_MODELS = new ModelCatalog(
  'specification',
  MODELS.map(({ id }) => ({ id, unitsPerToken: getUnitsPerToken(id) })),
)

/** Builds the catalog before the target has listed its models: from a declaration, or the specification. */
export function buildCatalog(declared: readonly DeclaredModel[] | undefined): ModelCatalog {
  if (declared === undefined) return SPECIFIED_MODELS
  const models = declared.map(({ id, price, operations }) => ({
    id,
    unitsPerToken: price === undefined ? getUnitsPerToken(id) : price * UNITS_PER_CREDIT,
    ...(operations === undefined ? {} : { operations }),
  }))
  return new ModelCatalog('declared', models)
}

/**
 * Returns the catalog for a target that lists these IDs. If the target lists only other models, the catalog contains
 * those, and a separate check reports that the models of the specification are missing. A list with a single model of
 * the table also counts as a list of other models, because other services offer `o3-mini` too.
 */
export function selectCatalog(catalog: ModelCatalog, ids: readonly string[]): ModelCatalog {
  const known = ids.filter((id) => catalog.has(id)).length
  if (catalog.origin !== 'specification' || known > 1 || known === ids.length) return catalog
  return new ModelCatalog(
    'listed',
    [...new Set(ids)].map((id) => ({ id, unitsPerToken: undefined })),
  )
}

/** Returns the number of listed models outside the table of section 2.1, if the run tests this table. */
export function countAdditionalModels(catalog: ModelCatalog, ids: readonly string[]): number {
  return catalog.origin === 'specification' ? new Set(ids.filter((id) => !catalog.has(id))).size : 0
}

/** Words that occur in the names of models that usually serve an operation other than chat. */
const NAMES = {
  images: /image|dall-?e|diffusion|flux|imagen|sdxl/i,
  transcriptions: /whisper|transcri|asr|stt/i,
  speech: /tts|speech|voice/i,
} as const
const NO_CHAT = /embed|rerank|moderation|realtime|video|sora|(?:^|[-/])(?:bge|babbage|davinci)/i

/** Sorts models by how likely they are to serve an operation, judged by their names, most likely first. */
function byLikelihood(ids: readonly string[], operation: Operation): readonly string[] {
  const isOther = (id: string): boolean =>
    NO_CHAT.test(id) || Object.entries(NAMES).some(([name, pattern]) => name !== operation && pattern.test(id))
  const own = Object.entries(NAMES).find(([name]) => name === operation)?.[1]
  const rank = (id: string): number => (own?.test(id) === true ? 0 : isOther(id) ? 2 : 1)
  return ids.toSorted((a, b) => rank(a) - rank(b))
}
