import { readFileSync } from 'node:fs'
import type { OptionReader } from './read-options.ts'
import { parseRules } from '../scripting/faults/parse-fault-rule.ts'

/** The settings of faults, as flags, in the environment and in a config file. */
export const FAULT_OPTIONS: Readonly<Record<string, OptionReader>> = {
  fault: {
    flag: '--fault <rule>',
    about: "a failure to put on requests, e.g. 'operation=chat,times=2,status=500'; see emulator/README.md",
    isRepeatable: true,
    read: (value) => {
      const faults = parseRules(value)
      return typeof faults === 'string' ? faults : { faults }
    },
  },
  faults: {
    flag: '--faults <file>',
    about: 'a script of failures as JSON: {"faults": [...]}',
    read: (value) => {
      const faults = typeof value === 'string' ? readFaultFile(value) : parseRules(value)
      return typeof faults === 'string' ? faults : { faults }
    },
  },
  allowFaultHeader: {
    flag: '--allow-fault-header',
    about: 'lets requests bring a failure in the header x-touchstone-fault',
    read: (value) => {
      const isOn = value === true || value === 'true'
      return isOn || value === false || value === 'false' ? { allowFaultHeader: isOn } : 'It must be true or false.'
    },
  },
}

function readFaultFile(file: string): ReturnType<typeof parseRules> {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return `${file} is not valid JSON: ${error.message}.`
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return `${file} cannot be read (${code}).`
  }
  return parseRules(value)
}
