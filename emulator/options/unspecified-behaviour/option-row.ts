/** A point on which the document is silent, with what the emulator does and why. */
export interface Row {
  readonly kind: 'choice' | 'limit' | 'list' | 'map'
  /** What is left open, in a few words. */
  readonly about: string
  readonly why: string
}

/** One of a few named ways. */
export interface Choice<Name extends string> extends Row {
  readonly kind: 'choice'
  readonly byDefault: Name
  /** What each way means. */
  readonly choices: Readonly<Record<Name, string>>
}

/** A whole number. */
export interface Limit extends Row {
  readonly kind: 'limit'
  readonly byDefault: number
  readonly least: number
  readonly most: number
}

/** Whatever comes, or only what is listed. */
export interface List extends Row {
  readonly kind: 'list'
  readonly byDefault: 'any'
  /** An example of a list, for help and tests. */
  readonly example: readonly string[]
}

/** Which models serve which operations: all, or only those listed for an operation; others go unrestricted. */
export interface CapabilityMap extends Row {
  readonly kind: 'map'
  readonly byDefault: 'all'
}

/** The value of a decision. */
export type ValueOf<R> =
  R extends Choice<infer Name>
    ? Name
    : R extends Limit
      ? number
      : R extends List
        ? 'any' | readonly string[]
        : 'all' | Readonly<Record<string, readonly string[]>>

export function choice<const Choices extends Readonly<Record<string, string>>>(
  about: string,
  byDefault: NoInfer<keyof Choices & string>,
  choices: Choices,
  why: string,
): Choice<keyof Choices & string> {
  return { kind: 'choice', about, byDefault, choices, why }
}

export function limit(about: string, byDefault: number, [least, most]: readonly [number, number], why: string): Limit {
  return { kind: 'limit', about, byDefault, least, most, why }
}

export function list(about: string, example: readonly string[], why: string): List {
  return { kind: 'list', about, byDefault: 'any', example, why }
}
