import { findProxy, InvalidOptionError } from '../conformance/run-conformance.ts'
import { describeUsageError } from './messages/conformance-messages.ts'
import { CommandLineError } from './command-line-error.ts'

/**
 * Warns on stderr if requests to a target go through a proxy, because latencies then include the proxy.
 * @param target base URL, or undefined for the built-in emulator
 * @returns the address of the proxy with its credentials, or undefined without a proxy
 * @throws CommandLineError for a proxy that is not supported
 */
export function reportProxy(target: string | undefined): string | undefined {
  if (target === undefined || !URL.canParse(target)) return undefined
  try {
    const proxy = findProxy(target, process.env)
    if (proxy === undefined) return undefined
    // `origin` contains no credentials.
    const words = `go through the proxy ${new URL(proxy.url).origin} (${proxy.variable})`
    process.stderr.write(`Requests to ${new URL(target).origin} ${words}.\n`)
    return proxy.url
  } catch (error) {
    if (error instanceof InvalidOptionError) throw new CommandLineError(describeUsageError(error) ?? error.message)
    throw error
  }
}
