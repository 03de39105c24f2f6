/**
 * Applies a function to a value immediately, or to the value of a promise when it resolves. Most requests never wait, and
 * each promise would delay their responses.
 */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
