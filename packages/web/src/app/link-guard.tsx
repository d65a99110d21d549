import { type ReactNode, useEffect, useState } from 'react'
import { Code } from '../shared/kit/copy-button.tsx'
import { Dialog } from '../shared/kit/dialog.tsx'

/**
 * Browsers send the cookies of a host to each of its ports, so that a server which an agent started on another port of the dashboard's host
 * would get the sign-in of everyone who follows a link to it. Such a link does not open; its address can be copied.
 */
export function LinkGuard(): ReactNode {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null
      if (!link || link.hostname !== location.hostname || link.host === location.host) return
      event.preventDefault()
      setAddress(link.href)
    }
    // The middle button opens a tab by an event of its own.
    const names = ['click', 'auxclick'] as const
    for (const name of names) document.addEventListener(name, onClick, true)
    return () => {
      for (const name of names) document.removeEventListener(name, onClick, true)
    }
  }, [])
  return (
    <Dialog title="This link was not opened" isOpen={address !== undefined} onClose={() => setAddress(undefined)}>
      <div className="flex flex-col gap-3">
        <Code label="address">{address ?? ''}</Code>
        <p>
          It leads to another port of {location.hostname}. Your browser would send your sign-in along, and the program
          that listens there could act as you. If you trust it, open it under another host name, such as{' '}
          {location.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}.
        </p>
      </div>
    </Dialog>
  )
}
