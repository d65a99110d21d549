#!/bin/sh
echo 'You work in a clone of your own. Commit what is to be kept.'
