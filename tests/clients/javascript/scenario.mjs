/** Settings and functions that the JavaScript client programs share. */

export const baseURL = `${process.env.TOUCHSTONE_URL}/v1`
export const KEY = process.env.TOUCHSTONE_KEY
export const NO_CREDITS_KEY = process.env.TOUCHSTONE_KEY_NO_CREDITS
export const WRONG_KEY = 'sk-svc-wrong-key'

export const MODEL = 'vendora-v4-flash'
export const BREAKING_MODEL = 'vendora-v4-pro'
export const SLOW_MODEL = 'o3-mini'

export const HELLO = 'Say hello.'
export const FAIL_ONCE = 'Fail once.'
export const COUNT = 'Count to a hundred.'
export const ASK_WEATHER = 'What is the weather in Paris?'
export const ASK_JSON = 'Give the weather in Paris as JSON.'
/** Messages to which the emulator responds with the same text, but with a stream of another form. */
const FORMS = JSON.parse(process.env.TOUCHSTONE_FORMS ?? '[]')

/**
 * Runs the functions of an object, keyed by scenario, one after the other. Prints their results as one JSON object, and
 * exits. The scenario `stream` takes a message, so that it also runs for each form of a stream.
 */
export async function run(scenarios) {
  const results = {}
  for (const [name, scenario] of Object.entries(scenarios)) results[name] = await resultOf(() => scenario(HELLO))
  results.forms = {}
  for (const form of FORMS) results.forms[form] = await resultOf(() => scenarios.stream(form))
  console.log(JSON.stringify(results))
  process.exit()
}

/** Calls a scenario. A result that is an error never equals the expected one. */
async function resultOf(call) {
  try {
    return await call()
  } catch (error) {
    return { error: String(error) }
  }
}

/** Returns the HTTP status of the error that a call throws, or `served` if the call succeeds. */
export async function statusOf(call) {
  try {
    await call()
    return 'served'
  } catch (error) {
    for (let cause = error; cause !== undefined; cause = cause.cause ?? cause.lastError) {
      const status = cause.status ?? cause.statusCode
      if (status !== undefined) return status
    }
    return String(error)
  }
}

export async function outcomeOf(call) {
  try {
    return `ended without an error: ${await call()}`
  } catch {
    return 'raised'
  }
}

export async function join(parts, textOf = (part) => part) {
  let text = ''
  for await (const part of parts) text += textOf(part) ?? ''
  return text
}
