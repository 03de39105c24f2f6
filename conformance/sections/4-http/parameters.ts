import { PARAMETER_DEFAULTS, PARAMETERS } from '../../../contract/facts.ts'
import {
  type Check,
  type CheckContext,
  type CheckCost,
  defineCheck,
  calculateMaxCost,
  SMALL_CHAT_TOKENS,
} from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { JsonOperation } from '../../requests/build-request.ts'

// The checks never send `null`, because the specification does not state whether it means an absent value.

type Parameter = (typeof PARAMETERS)[JsonOperation][number]

interface ParameterIds {
  readonly requirement: string
  /** Check that omits the parameter. Only required parameters have one. */
  readonly missing?: string
  readonly wrongType: string
  /** Check of a number with a fraction. Only integers have one. */
  readonly fraction?: string
}

/**
 * Values of an incorrect type, by the type that the parameter requires. The last two of each line are falsy in some
 * languages, so that a careless validation skips them. Chats send the last value as a stream.
 */
const OTHER_TYPES: Readonly<Record<Parameter['type'], readonly unknown[]>> = {
  string: [{}, 5, true, ['x'], false, []],
  // `true` equals the integer 1 in some languages.
  integer: ['1', {}, true, [1], '', []],
  number: ['1', {}, true, [1], '', []],
  boolean: ['true', 1, {}, [true], '', []],
  array: ['hello', {}, 5, true, false],
}

/** Values in the control requests. For other parameters, the control request is the plain request. */
const CONTROL_VALUES: Readonly<Record<string, unknown>> = {
  temperature: 1,
  stream: false,
  n: 1,
  voice: 'alloy',
}

function controlFields(name: string): Readonly<Record<string, unknown>> {
  return Object.hasOwn(CONTROL_VALUES, name) ? { [name]: CONTROL_VALUES[name] } : {}
}

/**
 * Lists the statuses that a target may return for a missing or invalid parameter. A model that is not a string violates
 * two rules, invalid parameter (400) and unknown model (404), and the order of validation is unspecified.
 */
export function listErrorStatuses(name: string): readonly number[] {
  return name === 'model' ? [400, 404] : [400]
}

function missingCheck(operation: JsonOperation, { name }: Parameter, id: string, requirement: string): Check {
  return defineCheck({
    id,
    requirement,
    title: `returns ${listErrorStatuses(name).join(' or ')} for a request without ${name}`,
    operation,
    cost: calculateMaxCost(operation, 2),
    async run(context) {
      const control = await context.shared[operation]()
      const response = await context[operation]({ [name]: undefined })
      const difference = { parameter: name, omitted: true } as const
      return expect.checkErrorResponse(response, listErrorStatuses(name), { control, difference })
    },
  })
}

interface WrongValues {
  readonly id: string
  readonly requirement: string
  readonly title: string
  readonly values: readonly unknown[]
}

function wrongValuesCheck(
  operation: JsonOperation,
  { name }: Parameter,
  { id, requirement, values, title }: WrongValues,
): Check {
  return defineCheck({
    id,
    requirement,
    title: `returns ${listErrorStatuses(name).join(' or ')} for ${title}`,
    operation,
    parameter: name,
    cost: costOfValues(operation, name, values.length + (operation === 'chat' ? 2 : 1)),
    async run(context) {
      const control = await context.shared[operation](controlFields(name))
      const streamFields = operation === 'chat' && name !== 'stream' ? await findStreamFields(context) : {}
      const invalid: expect.InvalidRequest[] = []
      for (const [index, value] of values.entries()) {
        // The last of several values resembles an earlier one, which the check sends without a stream.
        const isStream = index > 0 && index === values.length - 1
        const response = await context[operation]({ ...(isStream ? streamFields : {}), [name]: value })
        invalid.push({ difference: { parameter: name, value: createExcerpt(value) }, response })
      }
      return expect.checkErrorResponses(invalid, listErrorStatuses(name), { control })
    },
  })
}

/** Returns the field that requests a stream, or no field if the target does not serve streams. */
async function findStreamFields({ shared }: CheckContext): Promise<{ readonly stream?: true }> {
  return expect.isServed(await shared.chat({ stream: true })) ? { stream: true } : {}
}

/** Returns the maximum cost of invalid values. A completion may be as long as the default of `max_tokens`. */
function costOfValues(operation: JsonOperation, name: string, requests: number): CheckCost {
  const cost = calculateMaxCost(operation, requests)
  return name === 'max_tokens'
    ? { ...cost, chatTokens: requests * (PARAMETER_DEFAULTS.max_tokens + SMALL_CHAT_TOKENS) }
    : cost
}

function parameterChecks(operation: JsonOperation, parameter: Parameter, ids: ParameterIds): readonly Check[] {
  const { requirement, missing, wrongType, fraction } = ids
  return [
    ...(missing === undefined ? [] : [missingCheck(operation, parameter, missing, requirement)]),
    wrongValuesCheck(operation, parameter, {
      id: wrongType,
      requirement,
      title: `${parameter.name} of a type other than ${parameter.type}`,
      values: OTHER_TYPES[parameter.type],
    }),
    ...(fraction === undefined
      ? []
      : [
          wrongValuesCheck(operation, parameter, {
            id: fraction,
            requirement,
            title: `${parameter.name} with a fraction`,
            values: [1.5],
          }),
        ]),
  ]
}

export function buildParameterChecks<Name extends JsonOperation>(
  operation: Name,
  ids: Readonly<Record<(typeof PARAMETERS)[Name][number]['name'], ParameterIds>>,
): readonly Check[] {
  const table: readonly Parameter[] = PARAMETERS[operation]
  const idsByName: Readonly<Partial<Record<string, ParameterIds>>> = ids
  return table.flatMap((parameter) => {
    const found = idsByName[parameter.name]
    return found === undefined ? [] : parameterChecks(operation, parameter, found)
  })
}
