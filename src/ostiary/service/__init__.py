"""The resident service: answers hooks from one warm process for each user and each folder of policy."""
