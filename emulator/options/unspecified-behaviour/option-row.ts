/** An option for behaviour that the specification leaves open. */
export interface BehaviourOptionRow {
  readonly kind: 'choice' | 'limit' | 'list' | 'map'
  /** Unspecified behaviour in a few words. Numbers in parentheses are sections of the specification. */
  readonly topic: string
  /** Reason why the default was chosen. */
  readonly reason: string
}

/** An option that selects one of several named alternatives. */
export interface ChoiceOption<Name extends string> extends BehaviourOptionRow {
  readonly kind: 'choice'
  readonly default: Name
  readonly choices: Readonly<Record<Name, string>>
}

export interface IntegerOption extends BehaviourOptionRow {
  readonly kind: 'limit'
  readonly default: number
  readonly min: number
  readonly max: number
}

/** An option that accepts any value, or only the values in a list. */
export interface ListOption extends BehaviourOptionRow {
  readonly kind: 'list'
  readonly default: 'any'
  readonly example: readonly string[]
}

/** An option that lists the supported models of operations. An operation without a list supports all models. */
export interface CapabilityOption extends BehaviourOptionRow {
  readonly kind: 'map'
  readonly default: 'all'
}

export type BehaviourOptionValue<R> =
  R extends ChoiceOption<infer Name>
    ? Name
    : R extends IntegerOption
      ? number
      : R extends ListOption
        ? 'any' | readonly string[]
        : 'all' | Readonly<Record<string, readonly string[]>>

export function defineChoiceOption<const Choices extends Readonly<Record<string, string>>>(
  topic: string,
  defaultChoice: NoInfer<keyof Choices & string>,
  choices: Choices,
  reason: string,
): ChoiceOption<keyof Choices & string> {
  return { kind: 'choice', topic, default: defaultChoice, choices, reason }
}

export function defineIntegerOption(
  topic: string,
  defaultValue: number,
  [min, max]: readonly [number, number],
  reason: string,
): IntegerOption {
  return { kind: 'limit', topic, default: defaultValue, min, max, reason }
}

export function defineListOption(topic: string, example: readonly string[], reason: string): ListOption {
  return { kind: 'list', topic, default: 'any', example, reason }
}
