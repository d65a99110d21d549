import { useEffect, useState } from 'react'
import type { Input, Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'

const pauseMs = 300

type Preview = {
  data: Result<'triggers.preview'> | undefined
  error: unknown
  /** False while `data` is about what was typed before. */
  isCurrent: boolean
}

/** What the server makes of a trigger as it is typed. */
export function usePreview(input: Input<'triggers.preview'>): Preview {
  const text = JSON.stringify(input)
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data, error, isPlaceholderData } = useRead('triggers.preview', JSON.parse(settled))
  return { data, error, isCurrent: settled === text && !isPlaceholderData }
}
