#!/usr/bin/env python3
"""Compares two documents in a LibreOffice that listens: compare_libreoffice.py BEFORE AFTER OUT. Run by LibreOffice's own Python."""
import sys

import uno
from com.sun.star.beans import PropertyValue


def value(name, wanted):
    entry = PropertyValue()
    entry.Name, entry.Value = name, wanted
    return entry


def main():
    before, after, out = (uno.systemPathToFileUrl(path) for path in sys.argv[1:4])
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', context)
    office = resolver.resolve('uno:socket,host=127.0.0.1,port=2117;urp;StarOffice.ComponentContext')
    manager = office.ServiceManager
    desktop = manager.createInstanceWithContext('com.sun.star.frame.Desktop', office)
    document = desktop.loadComponentFromURL(after, '_blank', 0, (value('Hidden', True),))
    dispatcher = manager.createInstanceWithContext('com.sun.star.frame.DispatchHelper', office)
    dispatcher.executeDispatch(document.CurrentController.Frame, '.uno:CompareDocuments', '', 0, (value('URL', before), value('NoAcceptDialog', True)))
    document.storeToURL(out, (value('FilterName', 'MS Word 2007 XML'),))
    document.close(True)


main()
